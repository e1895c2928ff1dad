// SPDX-License-Identifier: Apache-2.0
// conv2d and depthwise_conv2d by oneDNN, over tensors in the layouts that it
// likes best. Selection has them reordered: OnednnConvLayouts() tells it how.
#ifndef SWITCHYARD_PHI_KERNELS_ONEDNN_CONV_PRIMITIVE_H_
#define SWITCHYARD_PHI_KERNELS_ONEDNN_CONV_PRIMITIVE_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_layouts.h"
#include "phi/kernels/onednn/onednn_context.h"
#include "phi/shapes/window.h"

namespace switchyard::phi::kernels::onednn {

// The attributes of a convolution.
struct OnednnConvAttrs {
  WindowAttrs window;
  int groups;
  std::string_view data_format;
};

// Asks oneDNN in which layouts it convolves one image of this shape fastest.
// The batch, whose extent may be unknown, changes nothing.
absl::Status OnednnConvLayouts(const Shape& input, const Shape& filter,
                               const OnednnConvAttrs& attrs,
                               TensorLayouts* layouts);

// Convolves, each tensor in the layout that it has.
absl::Status RunOnednnConv(const OnednnContext& context, const char* op,
                           const DenseTensor& input, const DenseTensor& filter,
                           const OnednnConvAttrs& attrs, DenseTensor* out);

}  // namespace switchyard::phi::kernels::onednn

#endif  // SWITCHYARD_PHI_KERNELS_ONEDNN_CONV_PRIMITIVE_H_
