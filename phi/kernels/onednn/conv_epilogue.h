// SPDX-License-Identifier: Apache-2.0
// conv2d_epilogue by oneDNN: one primitive, which does the rest on the sums
// while they are in registers.
#ifndef SWITCHYARD_PHI_KERNELS_ONEDNN_CONV_EPILOGUE_H_
#define SWITCHYARD_PHI_KERNELS_ONEDNN_CONV_EPILOGUE_H_

#include <string_view>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/conv2d_epilogue.args.gen.h"
#include "phi/kernels/onednn/conv_primitive.h"
#include "phi/kernels/onednn/onednn_context.h"

namespace switchyard::phi::kernels::onednn {

// Inputs and outputs in blocks of channels, as oneDNN likes them; a tensor that
// is added lies as the output does.
template <typename S>
absl::Status ConvEpilogueLayouts(const LayoutCall& call,
                                 TensorLayouts* layouts) {
  OnednnConvAttrs attrs = ReadFusedConv<S>(call);
  attrs.epilogue.out_scale = call.inputs[S::kOutScale] != nullptr;
  attrs.epilogue.out_shift = call.inputs[S::kOutShift] != nullptr;
  for (LayoutDescriptor& layout : layouts->inputs) layout = LayoutDescriptor();
  SY_RETURN_IF_ERROR(OnednnConvLayouts(
      *call.inputs[S::kInput], *call.inputs[S::kFilter], attrs, layouts));
  if (attrs.epilogue.residual) {
    layouts->inputs[S::kResidual] = layouts->outputs[0];
  }
  return absl::OkStatus();
}

// With less to convolve a primitive's call costs more than it wins. The batch
// may be empty, nothing else.
template <typename S>
inline constexpr auto kConv2dEpilogueSpec =
    KernelSpec<S>()
        .Layouts(DataLayout::kBlocked, &ConvEpilogueLayouts<S>)
        .When(ExtentAtLeast(S::kFilter, 0, 8))
        .When(ExtentAtLeast(S::kFilter, 1, 1))
        .When(ExtentAtLeast(S::kFilter, 2, 1))
        .When(ExtentAtLeast(S::kFilter, 3, 1))
        .When(ItemElementsAtLeast(S::kInput, 1024))
        .When(PostOpsAmong(S::kPostOps, PostOpKinds::All(), 1));
template <typename T>
absl::Status Conv2dEpilogueKernel(const OnednnContext& context,
                                  const Conv2dEpilogueArgs& args);

}  // namespace switchyard::phi::kernels::onednn

#endif  // SWITCHYARD_PHI_KERNELS_ONEDNN_CONV_EPILOGUE_H_
