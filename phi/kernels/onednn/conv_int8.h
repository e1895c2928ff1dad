// SPDX-License-Identifier: Apache-2.0
// conv2d_int8 by oneDNN: sums of 32 bits, and the rest on them while they are
// in registers. Images have their channels last.
#ifndef SWITCHYARD_PHI_KERNELS_ONEDNN_CONV_INT8_H_
#define SWITCHYARD_PHI_KERNELS_ONEDNN_CONV_INT8_H_

#include <string_view>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/image_layouts.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/conv2d_int8.args.gen.h"
#include "phi/kernels/onednn/conv_primitive.h"
#include "phi/kernels/onednn/onednn_context.h"

namespace switchyard::phi::kernels::onednn {

// Returns whether the CPU has VNNI, which adds products of 8 bits in 32. Others
// add them in pairs of 16, which may overflow, so oneDNN halves the weights
// there and loses their last bit.
bool HasVnni();

// Unavailable where oneDNN has only loops for the call, and without VNNI.
absl::Status OnednnConvInt8Layouts(const Shape& input, const Shape& filter,
                                   const OnednnConvAttrs& attrs, bool to_int8);

template <typename S>
absl::Status ConvInt8Layouts(const LayoutCall& call, TensorLayouts* layouts) {
  const OnednnConvAttrs attrs = ReadFusedConv<S>(call);
  for (LayoutDescriptor& layout : layouts->inputs) layout = LayoutDescriptor();
  SY_RETURN_IF_ERROR(
      OnednnConvInt8Layouts(*call.inputs[S::kInput], *call.inputs[S::kFilter],
                            attrs, call.inputs[S::kOutFactor] != nullptr));
  layouts->inputs[S::kInput] = ChannelsInnermost();
  if (attrs.epilogue.residual) {
    layouts->inputs[S::kResidual] = ChannelsInnermost();
  }
  layouts->outputs[0] = ChannelsInnermost();
  return absl::OkStatus();
}

// With less to convolve a primitive's call costs more than it wins. The batch
// may be empty, nothing else.
template <typename S>
inline constexpr auto kConv2dInt8Spec =
    KernelSpec<S>()
        .Inputs({S::kMultiplier, S::kBias, S::kResidual, S::kOutFactor},
                Fixed(DataType::kFloat32))
        .Output(S::kOut,
                OneOf(DataTypeSet(DataType::kFloat32, DataType::kInt8)))
        .Layouts(DataLayout::kBlocked, &ConvInt8Layouts<S>)
        .When(ExtentAtLeast(S::kFilter, 0, 8))
        .When(ExtentAtLeast(S::kFilter, 1, 1))
        .When(ExtentAtLeast(S::kFilter, 2, 1))
        .When(ExtentAtLeast(S::kFilter, 3, 1))
        .When(ItemElementsAtLeast(S::kInput, 256))
        .When(PostOpsAmong(S::kPostOps, PostOpKinds::All(), 1));
template <typename T>
absl::Status Conv2dInt8Kernel(const OnednnContext& context,
                              const Conv2dInt8Args& args);

}  // namespace switchyard::phi::kernels::onednn

#endif  // SWITCHYARD_PHI_KERNELS_ONEDNN_CONV_INT8_H_
