// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/onednn/conv.h"

#include "phi/core/signatures/conv2d.gen.h"
#include "phi/core/signatures/depthwise_conv2d.gen.h"

namespace switchyard::phi::kernels::onednn {

template <>
absl::Status Conv2dKernel<float>(
    const OnednnContext& context, const DenseTensor& input,
    const DenseTensor& filter, absl::Span<const int> strides,
    absl::Span<const int> paddings, std::string_view padding_algorithm,
    absl::Span<const int> dilations, int groups, std::string_view data_format,
    DenseTensor* out) {
  return RunOnednnConv(
      context, Conv2dSignature::kOp, input, filter,
      {{strides, paddings, padding_algorithm, dilations}, groups, data_format},
      {}, out);
}

template <>
absl::Status DepthwiseConv2dKernel<float>(
    const OnednnContext& context, const DenseTensor& input,
    const DenseTensor& filter, absl::Span<const int> strides,
    absl::Span<const int> paddings, std::string_view padding_algorithm,
    absl::Span<const int> dilations, int groups, std::string_view data_format,
    DenseTensor* out) {
  return RunOnednnConv(
      context, DepthwiseConv2dSignature::kOp, input, filter,
      {{strides, paddings, padding_algorithm, dilations}, groups, data_format},
      {}, out);
}

}  // namespace switchyard::phi::kernels::onednn
