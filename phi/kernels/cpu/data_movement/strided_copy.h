// SPDX-License-Identifier: Apache-2.0
// CopyStrided: elements from one geometry to another on the host, whatever
// their dtype: what contiguous, copy, assign, concat and the gradients of slice
// and concat are made of.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DATA_MOVEMENT_STRIDED_COPY_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DATA_MOVEMENT_STRIDED_COPY_H_

#include <cstddef>

#include "framework/types/shape.h"

namespace switchyard::phi::kernels::cpu {

// Copies numel(shape) elements of `element_size` (1, 2, 4 or 8) bytes; strides
// count elements and may be 0 or out of order in `from`. The two do not
// overlap. Large copies are threaded over the outermost axis.
void CopyStrided(size_t element_size, const Shape& shape, const void* from,
                 const Strides& from_strides, void* to,
                 const Strides& to_strides);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DATA_MOVEMENT_STRIDED_COPY_H_
