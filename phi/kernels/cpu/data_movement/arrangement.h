// SPDX-License-Identifier: Apache-2.0
// Kernels on the CPU that take elements at positions that a rule tells, by
// their size and not their dtype: strided_slice, roll, diagonal, diag, and
// gradients. Tensors may have any strides except results, which are
// contiguous.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DATA_MOVEMENT_ARRANGEMENT_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DATA_MOVEMENT_ARRANGEMENT_H_

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "framework/types/scalar.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/creation/fill.h"

namespace switchyard::phi::kernels::cpu {

// The attributes of a strided slice.
struct StridedSlices {
  absl::Span<const int64_t> axes;
  IntArray starts;
  IntArray ends;
  IntArray strides;
};

// The work, without a dtype. `out` is allocated and contiguous.
absl::Status MoveStridedSlice(const DenseTensor& x, const StridedSlices& slices,
                              DenseTensor* out);
// Puts out_grad where MoveStridedSlice() took x's elements; 0 elsewhere.
absl::Status MoveStridedSliceGrad(const DenseTensor& out_grad,
                                  const StridedSlices& slices,
                                  DenseTensor* x_grad);
// x is contiguous where there is no axis.
absl::Status MoveRoll(const DenseTensor& x, IntArray shifts,
                      absl::Span<const int64_t> axis, DenseTensor* out);
absl::Status MoveDiagonal(const DenseTensor& x, int offset, int axis1,
                          int axis2, DenseTensor* out);
// Puts x, the diagonals of `out`, into it; the rest is not touched.
absl::Status PutDiagonal(const DenseTensor& x, int offset, int axis1, int axis2,
                         DenseTensor* out);
void FillZeros(DenseTensor* out);

template <typename S>
inline constexpr auto kStridedSliceSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status StridedSliceKernel(const CpuContext&, const DenseTensor& x,
                                absl::Span<const int64_t> axes, IntArray starts,
                                IntArray ends, IntArray strides,
                                absl::Span<const int64_t>, DenseTensor* out) {
  return MoveStridedSlice(x, {axes, starts, ends, strides}, out);
}

template <typename S>
inline constexpr auto kStridedSliceGradSpec =
    KernelSpec<S>().Input(S::kX, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status StridedSliceGradKernel(const CpuContext&, const DenseTensor&,
                                    const DenseTensor& out_grad,
                                    absl::Span<const int64_t> axes,
                                    IntArray starts, IntArray ends,
                                    IntArray strides, absl::Span<const int64_t>,
                                    DenseTensor* x_grad) {
  return MoveStridedSliceGrad(out_grad, {axes, starts, ends, strides}, x_grad);
}

template <typename S>
inline constexpr auto kStepSliceGradSpec =
    KernelSpec<S>().Input(S::kX, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status StepSliceGradKernel(const CpuContext&, const DenseTensor&,
                                 const DenseTensor& out_grad,
                                 absl::Span<const int64_t> axes,
                                 IntArray starts, IntArray ends, IntArray steps,
                                 DenseTensor* x_grad) {
  return MoveStridedSliceGrad(out_grad, {axes, starts, ends, steps}, x_grad);
}

template <typename S>
inline constexpr auto kRollSpec = KernelSpec<S>();
template <typename T>
absl::Status RollKernel(const CpuContext&, const DenseTensor& x,
                        IntArray shifts, absl::Span<const int64_t> axis,
                        DenseTensor* out) {
  return MoveRoll(x, shifts, axis, out);
}

template <typename S>
inline constexpr auto kDiagonalGradSpec =
    KernelSpec<S>().AllStrided().Input(S::kX, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status DiagonalGradKernel(const CpuContext&, const DenseTensor&,
                                const DenseTensor& out_grad, int offset,
                                int axis1, int axis2, DenseTensor* x_grad) {
  FillZeros(x_grad);
  return PutDiagonal(out_grad, offset, axis1, axis2, x_grad);
}

template <typename S>
inline constexpr auto kDiagSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status DiagKernel(const CpuContext&, const DenseTensor& x, int offset,
                        double padding_value, DenseTensor* out) {
  if (x.rank() == 2) return MoveDiagonal(x, offset, 0, 1, out);
  const T padding = Scalar(padding_value).to<T>();
  FillElements(sizeof(T), &padding, out->numel(), out->mutable_data<T>());
  return PutDiagonal(x, offset, 0, 1, out);
}

template <typename S>
inline constexpr auto kDiagGradSpec =
    KernelSpec<S>().AllStrided().Input(S::kX, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status DiagGradKernel(const CpuContext&, const DenseTensor& x,
                            const DenseTensor& out_grad, int offset,
                            DenseTensor* x_grad) {
  if (x.rank() == 1) return MoveDiagonal(out_grad, offset, 0, 1, x_grad);
  FillZeros(x_grad);
  return PutDiagonal(out_grad, offset, 0, 1, x_grad);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DATA_MOVEMENT_ARRANGEMENT_H_
