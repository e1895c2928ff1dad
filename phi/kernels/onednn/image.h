// SPDX-License-Identifier: Apache-2.0
// Windows in the keys of primitives, for convolutions and poolings by oneDNN.
#ifndef SWITCHYARD_PHI_KERNELS_ONEDNN_IMAGE_H_
#define SWITCHYARD_PHI_KERNELS_ONEDNN_IMAGE_H_

#include "phi/kernels/onednn/onednn_context.h"
#include "phi/shapes/window.h"

namespace switchyard::phi::kernels::onednn {

inline void AppendTo(OnednnKey* key, const WindowAxis& axis) {
  key->numbers.insert(key->numbers.end(),
                      {axis.input, axis.kernel, axis.stride, axis.dilation,
                       axis.before, axis.after, axis.output});
}

}  // namespace switchyard::phi::kernels::onednn

#endif  // SWITCHYARD_PHI_KERNELS_ONEDNN_IMAGE_H_
