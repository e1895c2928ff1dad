// SPDX-License-Identifier: Apache-2.0
// The convolutions of oneDNN.
#ifndef SWITCHYARD_PHI_KERNELS_ONEDNN_CONV_H_
#define SWITCHYARD_PHI_KERNELS_ONEDNN_CONV_H_

#include <string_view>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/conv2d.args.gen.h"
#include "phi/core/signatures/depthwise_conv2d.args.gen.h"
#include "phi/kernels/onednn/conv_primitive.h"
#include "phi/kernels/onednn/onednn_context.h"

namespace switchyard::phi::kernels::onednn {

// The layouts of both operators.
template <typename S>
absl::Status ConvLayouts(const LayoutCall& call, TensorLayouts* layouts) {
  return OnednnConvLayouts(
      *call.inputs[S::kInput], *call.inputs[S::kFilter],
      ReadConv<S>(call,
                  call.attrs[S::kDataFormat].template Get<std::string_view>()),
      layouts);
}

// Blocked layouts pay with channels to block, and where the sums outweigh the
// reorders: below, our own direct convolution is as fast. So is a product of
// matrices where the filter is 1 x 1. The batch may be empty, nothing else.
template <typename S>
inline constexpr auto kConv2dSpec =
    KernelSpec<S>()
        .Layouts(DataLayout::kBlocked, &ConvLayouts<S>)
        .When(ExtentAtLeast(S::kFilter, 0, 16))
        .When(ExtentAtLeast(S::kFilter, 1, 32))
        .When(ExtentAtLeast(S::kFilter, 2, 2))
        .When(ExtentAtLeast(S::kFilter, 3, 1))
        .When(ItemElementsAtLeast(S::kInput, 8192));
template <typename T>
absl::Status Conv2dKernel(const OnednnContext& context, const Conv2dArgs& args);

// In plain layouts oneDNN falls back to loops that are 15 times slower, and the
// reorders cost more than the work. So it is for planes of which our own kernel
// pads more than it computes, and not for small tensors.
template <typename S>
inline constexpr auto kDepthwiseConv2dSpec =
    KernelSpec<S>()
        .Layouts(DataLayout::kBlocked, &ConvLayouts<S>)
        .When(ExtentAtLeast(S::kFilter, 0, 8))
        .When(ExtentAtLeast(S::kFilter, 1, 1))
        .When(ExtentAtLeast(S::kFilter, 2, 1))
        .When(ExtentAtLeast(S::kFilter, 3, 1))
        .When(ExtentAtMost(S::kInput, 2, 28))
        .When(ItemElementsAtLeast(S::kInput, 8192));
template <typename T>
absl::Status DepthwiseConv2dKernel(const OnednnContext& context,
                                   const DepthwiseConv2dArgs& args);

}  // namespace switchyard::phi::kernels::onednn

#endif  // SWITCHYARD_PHI_KERNELS_ONEDNN_CONV_H_
