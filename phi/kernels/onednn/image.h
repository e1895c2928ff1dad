// SPDX-License-Identifier: Apache-2.0
// What convolutions and poolings by oneDNN share: images as oneDNN describes
// them, and windows in the keys of primitives.
#ifndef SWITCHYARD_PHI_KERNELS_ONEDNN_IMAGE_H_
#define SWITCHYARD_PHI_KERNELS_ONEDNN_IMAGE_H_

#include "framework/tensor/dense_tensor.h"
#include "phi/core/window.h"
#include "phi/kernels/onednn/onednn_context.h"

namespace switchyard::phi::kernels::onednn {

// A contiguous image tensor as oneDNN numbers its axes, in memory as it is.
inline dnnl::memory::desc ImageDesc(const DenseTensor& x, bool channels_last) {
  using Tag = dnnl::memory::format_tag;
  const int c = channels_last ? 3 : 1, h = channels_last ? 1 : 2;
  return dnnl::memory::desc(
      {x.extent(0), x.extent(c), x.extent(h), x.extent(h + 1)},
      dnnl::memory::data_type::f32, channels_last ? Tag::nhwc : Tag::nchw);
}

inline void AppendTo(OnednnKey* key, const WindowAxis& axis) {
  key->numbers.insert(key->numbers.end(),
                      {axis.input, axis.kernel, axis.stride, axis.dilation,
                       axis.before, axis.after, axis.output});
}

}  // namespace switchyard::phi::kernels::onednn

#endif  // SWITCHYARD_PHI_KERNELS_ONEDNN_IMAGE_H_
