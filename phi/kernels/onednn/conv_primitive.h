// SPDX-License-Identifier: Apache-2.0
// conv2d and depthwise_conv2d by oneDNN, over tensors in the layouts that it
// likes best. Selection has them reordered: OnednnConvLayouts() tells it how.
#ifndef SWITCHYARD_PHI_KERNELS_ONEDNN_CONV_PRIMITIVE_H_
#define SWITCHYARD_PHI_KERNELS_ONEDNN_CONV_PRIMITIVE_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/epilogue_activation.h"
#include "phi/core/kernel_layouts.h"
#include "phi/kernels/onednn/onednn_context.h"
#include "phi/shapes/window.h"

namespace switchyard::phi::kernels::onednn {

// The steps that a primitive applies to the sums of a convolution before it
// writes them.
// oneDNN may round an activation function otherwise than our own kernels.
struct OnednnEpilogue {
  // Which of the optional arguments there are.
  bool bias = false, residual = false, out_scale = false, out_shift = false;
  EpilogueActivation activation = EpilogueActivation::kNone;
  float alpha = 0, beta = 0;
};

// Adds an activation function to what is done with the sums.
void AppendActivation(const OnednnEpilogue& epilogue, dnnl::post_ops* ops);

// The attributes of a convolution.
struct OnednnConvAttrs {
  WindowAttrs window;
  int groups;
  std::string_view data_format;
  OnednnEpilogue epilogue = {};
};

// The tensors that an epilogue reads; null where there is none.
struct OnednnEpilogueTensors {
  const DenseTensor* bias = nullptr;
  const DenseTensor* residual = nullptr;
  const DenseTensor* out_scale = nullptr;
  const DenseTensor* out_shift = nullptr;
};

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
