// SPDX-License-Identifier: Apache-2.0
// conv2d, depthwise_conv2d and their fused forms by oneDNN, over tensors in the
// layouts that it likes best. Selection has them reordered: OnednnConvLayouts()
// tells it how, of a call that ReadConv() or ReadFusedConv() has read.
#ifndef SWITCHYARD_PHI_KERNELS_ONEDNN_CONV_PRIMITIVE_H_
#define SWITCHYARD_PHI_KERNELS_ONEDNN_CONV_PRIMITIVE_H_

#include <string_view>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_layouts.h"
#include "phi/kernels/onednn/conv_steps.h"
#include "phi/kernels/onednn/onednn_context.h"
#include "phi/shapes/window.h"

namespace switchyard::phi::kernels::onednn {

// The attributes of a convolution.
struct OnednnConvAttrs {
  WindowAttrs window;
  int groups;
  std::string_view data_format;
  OnednnEpilogue epilogue = {};
};

// Reads the attributes that all convolutions have. Borrows those of the call.
template <typename S>
OnednnConvAttrs ReadConv(const LayoutCall& call, std::string_view data_format) {
  using Ints = absl::Span<const int>;
  return {{call.attrs[S::kStrides].template Get<Ints>(),
           call.attrs[S::kPaddings].template Get<Ints>(),
           call.attrs[S::kPaddingAlgorithm].template Get<std::string_view>(),
           call.attrs[S::kDilations].template Get<Ints>()},
          call.attrs[S::kGroups].template Get<int>(),
          data_format};
}

// Reads what all fused convolutions have, whose images are NCHW: the
// attributes, and an epilogue without scale and shift. Borrows as ReadConv().
template <typename S>
OnednnConvAttrs ReadFusedConv(const LayoutCall& call) {
  OnednnConvAttrs attrs = ReadConv<S>(call, "NCHW");
  attrs.epilogue =
      MakeEpilogue<Shape>({call.inputs[S::kBias], call.inputs[S::kResidual]},
                          call.attrs[S::kPostOps].template Get<PostOps>());
  return attrs;
}

// Returns whether oneDNN's implementation of this name is plain loops, or
// products of unfolded images, which our own kernels outdo.
bool IsPlain(std::string_view implementation);

// Asks oneDNN in which layouts it convolves one image of this shape fastest.
// The batch, whose extent may be unknown, changes nothing. Writes the first two
// inputs and the output of `layouts`. Unavailable where oneDNN compiles no code
// for a call with an epilogue.
absl::Status OnednnConvLayouts(const Shape& input, const Shape& filter,
                               const OnednnConvAttrs& attrs,
                               TensorLayouts* layouts);

// Convolves, each tensor in the layout that it has.
absl::Status RunOnednnConv(const OnednnContext& context, const char* op,
                           const DenseTensor& input, const DenseTensor& filter,
                           const OnednnConvAttrs& attrs,
                           const OnednnEpilogueTensors& tensors,
                           DenseTensor* out);

}  // namespace switchyard::phi::kernels::onednn

#endif  // SWITCHYARD_PHI_KERNELS_ONEDNN_CONV_PRIMITIVE_H_
