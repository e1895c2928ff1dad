// SPDX-License-Identifier: Apache-2.0
// CopyStrided: copies elements from one geometry to another on the host,
// whatever their dtype. The kernels of contiguous, copy, assign, concat and
// others use it, and so do fetches of programs and writes from Python.
#ifndef SWITCHYARD_FRAMEWORK_DEVICE_CPU_STRIDED_COPY_H_
#define SWITCHYARD_FRAMEWORK_DEVICE_CPU_STRIDED_COPY_H_

#include <cstddef>

#include "framework/types/shape.h"

namespace switchyard {

// Copies numel(shape) elements of `element_size` (1, 2, 4, 8 or 16) bytes;
// strides count elements and may be 0 or out of order in `from`. The two do not
// overlap. Large copies are threaded over the outermost axis.
void CopyStrided(size_t element_size, const Shape& shape, const void* from,
                 const Strides& from_strides, void* to,
                 const Strides& to_strides);

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_DEVICE_CPU_STRIDED_COPY_H_
