// SPDX-License-Identifier: Apache-2.0
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/depthwise_conv2d.gen.h"
#include "phi/kernels/onednn/conv.h"

namespace switchyard::phi {
namespace kernels {
namespace {

template <typename T, typename Context>
absl::Status DepthwiseConv2dKernel(
    const Context& context, const DenseTensor& input, const DenseTensor& filter,
    absl::Span<const int> strides, absl::Span<const int> paddings,
    std::string_view padding_algorithm, absl::Span<const int> dilations,
    int groups, std::string_view data_format, DenseTensor* out) {
  return RunOnednnConv(context, DepthwiseConv2dSignature::kOp, input, filter,
                       {strides, paddings, padding_algorithm, dilations},
                       groups, data_format, out);
}

// In plain layouts oneDNN falls back to loops that are 15 times slower, and the
// reorders cost more than the work. So it is for planes of which our own kernel
// pads more than it computes, and not for small tensors.
constexpr auto kSpec =
    KernelSpec<DepthwiseConv2dSignature>()
        .NoEmpty()
        .When(ExtentAtLeast(DepthwiseConv2dSignature::kFilter, 0, 8))
        .When(ExtentAtMost(DepthwiseConv2dSignature::kInput, 2, 28))
        .When(ElementsAtLeast(DepthwiseConv2dSignature::kInput, 32768));

}  // namespace
}  // namespace kernels

SY_REGISTER_KERNEL(depthwise_conv2d, onednn, kernels::DepthwiseConv2dKernel,
                   OnednnContext, kernels::kSpec, float32);

}  // namespace switchyard::phi
