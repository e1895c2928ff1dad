// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/onednn/layer_norm.h"

#include <cstring>
#include <vector>

#include "phi/core/signatures/layer_norm.gen.h"
#include "phi/kernels/functors/wide_row.h"
#include "phi/kernels/onednn/onednn_context.h"

namespace switchyard::phi::kernels::onednn {
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

}  // namespace

template <>
absl::Status LayerNormKernel<float>(const OnednnContext& context,
                                    const DenseTensor& x,
                                    const DenseTensor* scale,
                                    const DenseTensor* bias, double given, int,
                                    DenseTensor* out, DenseTensor* mean,
                                    DenseTensor* variance) {
  const float epsilon = static_cast<float>(given);
  const int64_t rows = mean->numel(), width = x.numel() / rows;
  const bool scaled = scale != nullptr, shifted = bias != nullptr;
  const int64_t row = width * int64_t{sizeof(float)};
  std::vector<OnednnBuffer> buffers = {
      {const_cast<float*>(x.data<float>()), 0, row},
      {out->mutable_data<float>(), 0, row},
      {mean->mutable_data<float>(), 0, sizeof(float)},
      {variance->mutable_data<float>(), 0, sizeof(float)}};
  if (scaled) buffers.push_back({const_cast<float*>(scale->data<float>())});
  if (shifted) buffers.push_back({const_cast<float*>(bias->data<float>())});
  int32_t epsilon_bits;
  static_assert(sizeof(epsilon_bits) == sizeof(epsilon));
  std::memcpy(&epsilon_bits, &epsilon, sizeof(epsilon_bits));
  OnednnSplit split;
  split.extent = rows;
  // Some four elements a nanosecond.
  split.parts = OnednnParts(rows, static_cast<double>(x.numel()) / 4e3);
  SY_RETURN_IF_ERROR(context.ExecuteSplit(
      {LayerNormSignature::kOp, {width, scaled, shifted, epsilon_bits}}, split,
      [&](const dnnl::engine& engine, const OnednnPart& part) {
        return MakeLayerNorm(engine, part.extent, width, scaled, shifted,
                             epsilon);
      },
      buffers));
  for (int64_t r = 0; r < rows; ++r) {
    float& found = variance->mutable_data<float>()[r];
    if (!SquaresLeaveRange(found, epsilon)) continue;
    const WideRow<float> wide(x.data<float>() + r * width, width,
                              scaled ? scale->data<float>() : nullptr, given);
    mean->mutable_data<float>()[r] = static_cast<float>(wide.mean);
    found = static_cast<float>(wide.variance);
    wide.Normalize(shifted ? bias->data<float>() : nullptr,
                   out->mutable_data<float>() + r * width);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::onednn
