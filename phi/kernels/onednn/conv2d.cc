// SPDX-License-Identifier: Apache-2.0
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/conv2d.gen.h"
#include "phi/kernels/onednn/conv.h"

namespace switchyard::phi {
namespace kernels {
namespace {

template <typename T, typename Context>
absl::Status Conv2dKernel(const Context& context, const DenseTensor& input,
                          const DenseTensor& filter,
                          absl::Span<const int> strides,
                          absl::Span<const int> paddings,
                          std::string_view padding_algorithm,
                          absl::Span<const int> dilations, int groups,
                          std::string_view data_format, DenseTensor* out) {
  return RunOnednnConv(context, Conv2dSignature::kOp, input, filter,
                       {strides, paddings, padding_algorithm, dilations},
                       groups, data_format, out);
}

// Blocked layouts pay with channels to block, and where the sums outweigh the
// reorders: below, our own direct convolution is as fast. So is a product of
// matrices where the filter is 1 x 1.
constexpr auto kSpec =
    KernelSpec<Conv2dSignature>()
        .NoEmpty()
        .When(ExtentAtLeast(Conv2dSignature::kFilter, 0, 16))
        .When(ExtentAtLeast(Conv2dSignature::kFilter, 1, 32))
        .When(ExtentAtLeast(Conv2dSignature::kFilter, 2, 2))
        .When(ElementsAtLeast(Conv2dSignature::kInput, 16384));

}  // namespace
}  // namespace kernels

SY_REGISTER_KERNEL(conv2d, onednn, kernels::Conv2dKernel, OnednnContext,
                   kernels::kSpec, float32);

}  // namespace switchyard::phi
