// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <vector>

#include "phi/core/register_kernel.h"
#include "phi/core/signatures/layer_norm.gen.h"
#include "phi/kernels/onednn/onednn_context.h"

namespace switchyard::phi {
namespace kernels {
namespace {

using dnnl::memory;

OnednnPrimitive MakeLayerNorm(const dnnl::engine& engine, int64_t rows,
                              int64_t width, bool scale, bool shift,
                              float epsilon) {
  const auto f32 = memory::data_type::f32;
  const memory::desc matrix({rows, width}, f32, memory::format_tag::ab);
  const memory::desc row({rows}, f32, memory::format_tag::a);
  const memory::desc column({width}, f32, memory::format_tag::a);
  dnnl::normalization_flags flags = dnnl::normalization_flags::none;
  if (scale) flags |= dnnl::normalization_flags::use_scale;
  if (shift) flags |= dnnl::normalization_flags::use_shift;
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const dnnl::layer_normalization_forward::primitive_desc primitive(
      dnnl::layer_normalization_forward::desc(dnnl::prop_kind::forward_training,
                                              matrix, row, epsilon, flags),
      attr, engine);
  OnednnPrimitive result{
      dnnl::layer_normalization_forward(primitive),
      {{DNNL_ARG_SRC, matrix},
       {DNNL_ARG_DST, matrix},
       {DNNL_ARG_MEAN, row},
       {DNNL_ARG_VARIANCE, row}},
      static_cast<int64_t>(primitive.scratchpad_desc().get_size())};
  if (scale) result.arguments.push_back({DNNL_ARG_SCALE, column});
  if (shift) result.arguments.push_back({DNNL_ARG_SHIFT, column});
  return result;
}

template <typename T, typename Context>
absl::Status LayerNormKernel(const Context& context, const DenseTensor& x,
                             const DenseTensor* scale, const DenseTensor* bias,
                             float epsilon, int, DenseTensor* out,
                             DenseTensor* mean, DenseTensor* variance) {
  const int64_t rows = mean->numel(), width = x.numel() / rows;
  const bool scaled = scale != nullptr, shifted = bias != nullptr;
  std::vector<void*> buffers = {const_cast<T*>(x.data<T>()),
                                out->mutable_data<T>(), mean->mutable_data<T>(),
                                variance->mutable_data<T>()};
  if (scaled) buffers.push_back(const_cast<T*>(scale->data<T>()));
  if (shifted) buffers.push_back(const_cast<T*>(bias->data<T>()));
  int32_t epsilon_bits;
  std::memcpy(&epsilon_bits, &epsilon, sizeof(epsilon_bits));
  return context.Execute(
      {LayerNormSignature::kOp, {rows, width, scaled, shifted, epsilon_bits}},
      [&](const dnnl::engine& engine) {
        return MakeLayerNorm(engine, rows, width, scaled, shifted, epsilon);
      },
      buffers);
}

// On smaller tensors a primitive's call costs more than it wins.
constexpr auto kSpec = KernelSpec<LayerNormSignature>().NoEmpty().When(
    ElementsAtLeast(LayerNormSignature::kX, 1 << 15));

}  // namespace
}  // namespace kernels

SY_REGISTER_KERNEL(layer_norm, onednn, kernels::LayerNormKernel, OnednnContext,
                   kernels::kSpec, float32);

}  // namespace switchyard::phi
