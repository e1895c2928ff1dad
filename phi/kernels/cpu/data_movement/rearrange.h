// SPDX-License-Identifier: Apache-2.0
// Kernels that put elements elsewhere on the CPU, by their size and not their
// dtype: stack, tile, pad, flip, tril and triu. Those that follow index tensors
// are phi/kernels/cpu/indexing/indexing.h, copies and concat
// phi/kernels/cpu/data_movement/data_movement.h.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DATA_MOVEMENT_REARRANGE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DATA_MOVEMENT_REARRANGE_H_

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "framework/types/scalar.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/creation/fill.h"

namespace switchyard::phi::kernels::cpu {

// The work, without a dtype. `out` is allocated and contiguous.
absl::Status MoveStack(DenseList x, int axis, DenseTensor* out);
// x is contiguous.
void MoveTile(const DenseTensor& x, IntArray repeat_times, DenseTensor* out);
// x into out, `before` its edges by paddings; the rest is not touched.
void MovePad(const DenseTensor& x, absl::Span<const int64_t> paddings,
             DenseTensor* out);
// Copies into x_grad the elements that MovePad() put into out_grad.
void MovePadGrad(const DenseTensor& out_grad,
                 absl::Span<const int64_t> paddings, DenseTensor* x_grad);
absl::Status MoveFlip(const DenseTensor& x, absl::Span<const int> axis,
                      DenseTensor* out);
// Keeps what is on and below diagonal number `diagonal` (`lower`), or on and
// above it. x is contiguous.
void MoveTriangle(const DenseTensor& x, int diagonal, bool lower,
                  DenseTensor* out);

template <typename S>
inline constexpr auto kStackSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status StackKernel(const CpuContext&, DenseList x, int axis,
                         DenseTensor* out) {
  return MoveStack(x, axis, out);
}

template <typename S>
inline constexpr auto kTileSpec = KernelSpec<S>();
template <typename T>
absl::Status TileKernel(const CpuContext&, const DenseTensor& x,
                        IntArray repeat_times, DenseTensor* out) {
  MoveTile(x, repeat_times, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kPadSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status PadKernel(const CpuContext&, const DenseTensor& x,
                       absl::Span<const int64_t> paddings,
                       const Scalar& pad_value, DenseTensor* out) {
  const T value = pad_value.to<T>();
  FillElements(sizeof(T), &value, out->numel(), out->mutable_data<T>());
  MovePad(x, paddings, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kPadGradSpec =
    KernelSpec<S>().AllStrided().Input(S::kX, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status PadGradKernel(const CpuContext&, const DenseTensor&,
                           const DenseTensor& out_grad,
                           absl::Span<const int64_t> paddings,
                           DenseTensor* x_grad) {
  MovePadGrad(out_grad, paddings, x_grad);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kFlipSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status FlipKernel(const CpuContext&, const DenseTensor& x,
                        absl::Span<const int> axis, DenseTensor* out) {
  return MoveFlip(x, axis, out);
}

template <typename S>
inline constexpr auto kTrilSpec = KernelSpec<S>();
template <typename T>
absl::Status TrilKernel(const CpuContext&, const DenseTensor& x, int diagonal,
                        DenseTensor* out) {
  MoveTriangle(x, diagonal, /*lower=*/true, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kTriuSpec = KernelSpec<S>();
template <typename T>
absl::Status TriuKernel(const CpuContext&, const DenseTensor& x, int diagonal,
                        DenseTensor* out) {
  MoveTriangle(x, diagonal, /*lower=*/false, out);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DATA_MOVEMENT_REARRANGE_H_
