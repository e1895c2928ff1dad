// SPDX-License-Identifier: Apache-2.0
// Kernels that move elements on the CPU without looking at them: contiguous,
// copy, assign, concat, and the gradients of concat and slice. All take inputs
// of any strides. What moves nothing is in phi/kernels/neutral/view.h.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_MOVE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_MOVE_H_

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/scalar.h"
#include "phi/core/kernel_context.h"

namespace switchyard::phi::kernels {

// The work, without a dtype. `out` is allocated and contiguous.
void MoveAll(const DenseTensor& x, DenseTensor* out);
absl::Status MoveConcat(DenseList x, int axis, DenseTensor* out);
absl::Status MoveConcatGrad(const DenseTensor& out_grad, int axis,
                            DenseOutputs x_grad);
absl::Status MoveSliceGrad(const DenseTensor& out_grad,
                           absl::Span<const int64_t> axes, IntArray starts,
                           DenseTensor* input_grad);

// Also assign.
template <typename T, typename Context>
absl::Status ContiguousKernel(const Context&, const DenseTensor& x,
                              DenseTensor* out) {
  MoveAll(x, out);
  return absl::OkStatus();
}

// To a place of the host; other places are served by their own backends.
template <typename T, typename Context>
absl::Status CopyKernel(const Context&, const DenseTensor& x, Place place,
                        DenseTensor* out) {
  if (place != Place::Cpu()) {
    return ArgumentError("place", "cpu", ToString(place));
  }
  MoveAll(x, out);
  return absl::OkStatus();
}

template <typename T, typename Context>
absl::Status ConcatKernel(const Context&, DenseList x, int axis,
                          DenseTensor* out) {
  return MoveConcat(x, axis, out);
}

template <typename T, typename Context>
absl::Status ConcatGradKernel(const Context&, DenseList,
                              const DenseTensor& out_grad, int axis,
                              DenseOutputs x_grad) {
  return MoveConcatGrad(out_grad, axis, x_grad);
}

template <typename T, typename Context>
absl::Status SliceGradKernel(const Context&, const DenseTensor&,
                             const DenseTensor& out_grad,
                             absl::Span<const int64_t> axes, IntArray starts,
                             IntArray, DenseTensor* input_grad) {
  return MoveSliceGrad(out_grad, axes, starts, input_grad);
}

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_CPU_MOVE_H_
