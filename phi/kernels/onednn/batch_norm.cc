// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/onednn/batch_norm.h"

#include <cmath>
#include <cstring>
#include <string_view>
#include <vector>

#include "phi/core/signatures/batch_norm.gen.h"
#include "phi/kernels/onednn/onednn_context.h"

namespace switchyard::phi::kernels::onednn {
namespace {

using dnnl::memory;

// x as [outer, channels, inner], or [outer, inner, channels].
struct NormDims {
  int64_t outer, channels, inner;
  bool last;
};

NormDims DimsOf(const DenseTensor& x, std::string_view data_format) {
  const bool last = data_format == "NHWC" || x.rank() == 2;
  NormDims dims = {x.extent(0), x.extent(last ? x.rank() - 1 : 1), 1, last};
  for (int axis = last ? 1 : 2; axis < x.rank() - (last ? 1 : 0); ++axis) {
    dims.inner *= x.extent(axis);
  }
  return dims;
}

OnednnPrimitive MakeBatchNorm(const dnnl::engine& engine, const NormDims& dims,
                              bool scale, bool shift, float epsilon) {
  const auto f32 = memory::data_type::f32;
  const memory::desc data(
      {dims.outer, dims.channels, dims.inner}, f32,
      dims.last ? memory::format_tag::acb : memory::format_tag::abc);
  const memory::desc channel({dims.channels}, f32, memory::format_tag::a);
  dnnl::normalization_flags flags = dnnl::normalization_flags::use_global_stats;
  if (scale) flags |= dnnl::normalization_flags::use_scale;
  if (shift) flags |= dnnl::normalization_flags::use_shift;
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const dnnl::batch_normalization_forward::primitive_desc primitive(
      dnnl::batch_normalization_forward::desc(
          dnnl::prop_kind::forward_inference, data, epsilon, flags),
      attr, engine);
  OnednnPrimitive result{
      dnnl::batch_normalization_forward(primitive),
      {{DNNL_ARG_SRC, data},
       {DNNL_ARG_DST, data},
       {DNNL_ARG_MEAN, channel},
       {DNNL_ARG_VARIANCE, channel}},
      static_cast<int64_t>(primitive.scratchpad_desc().get_size())};
  if (scale) result.arguments.push_back({DNNL_ARG_SCALE, channel});
  if (shift) result.arguments.push_back({DNNL_ARG_SHIFT, channel});
  return result;
}

}  // namespace

template <>
absl::Status BatchNormKernel<float>(
    const OnednnContext& context, const DenseTensor& x, const DenseTensor& mean,
    const DenseTensor& variance, const DenseTensor* scale,
    const DenseTensor* bias, bool, float, float epsilon,
    std::string_view data_format, bool, bool, DenseTensor* out,
    DenseTensor* mean_out, DenseTensor* variance_out, DenseTensor* saved_mean,
    DenseTensor* saved_variance) {
  const NormDims dims = DimsOf(x, data_format);
  const bool scaled = scale != nullptr, shifted = bias != nullptr;
  for (int64_t c = 0; c < dims.channels; ++c) {
    const float m = mean.data<float>()[c], v = variance.data<float>()[c];
    mean_out->mutable_data<float>()[c] = m;
    variance_out->mutable_data<float>()[c] = v;
    saved_mean->mutable_data<float>()[c] = m;
    saved_variance->mutable_data<float>()[c] =
        float{1} / std::sqrt(v + epsilon);
  }
  std::vector<void*> buffers = {
      const_cast<float*>(x.data<float>()), out->mutable_data<float>(),
      mean_out->mutable_data<float>(), variance_out->mutable_data<float>()};
  if (scaled) buffers.push_back(const_cast<float*>(scale->data<float>()));
  if (shifted) buffers.push_back(const_cast<float*>(bias->data<float>()));
  int32_t epsilon_bits;
  std::memcpy(&epsilon_bits, &epsilon, sizeof(epsilon_bits));
  return context.Execute(
      {BatchNormSignature::kOp,
       {dims.outer, dims.channels, dims.inner, dims.last, scaled, shifted,
        epsilon_bits}},
      [&](const dnnl::engine& engine) {
        return MakeBatchNorm(engine, dims, scaled, shifted, epsilon);
      },
      buffers);
}

}  // namespace switchyard::phi::kernels::onednn
