// SPDX-License-Identifier: Apache-2.0
// The kernel of shape on the CPU: the extents of its input, of any dtype.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SHAPE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SHAPE_H_

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"

namespace switchyard::phi::kernels {

template <typename T, typename Context>
absl::Status ShapeKernel(const Context&, const DenseTensor& input,
                         DenseTensor* out) {
  for (int axis = 0; axis < input.rank(); ++axis) {
    out->mutable_data<T>()[axis] = input.extent(axis);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SHAPE_H_
