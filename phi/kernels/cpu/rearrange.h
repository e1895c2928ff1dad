// SPDX-License-Identifier: Apache-2.0
// Kernels that put elements elsewhere on the CPU, by their size and not their
// dtype: stack, tile, pad, flip, tril and triu. Those that follow index tensors
// are phi/kernels/cpu/indexing.h, copies and concat phi/kernels/cpu/move.h.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_REARRANGE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_REARRANGE_H_

#include "framework/base/status.h"
#include "framework/types/scalar.h"
#include "phi/core/kernel_context.h"
#include "phi/kernels/cpu/fill.h"

namespace switchyard::phi::kernels {

// The work, without a dtype. `out` is allocated and contiguous.
absl::Status MoveStack(DenseList x, int axis, DenseTensor* out);
// x is contiguous.
void MoveTile(const DenseTensor& x, IntArray repeat_times, DenseTensor* out);
// x into out, `before` its edges by paddings; the rest is not touched.
void MovePad(const DenseTensor& x, absl::Span<const int64_t> paddings,
             DenseTensor* out);
absl::Status MoveFlip(const DenseTensor& x, absl::Span<const int> axis,
                      DenseTensor* out);
// Keeps what is on and below diagonal number `diagonal` (`lower`), or on and
// above it. x is contiguous.
void MoveTriangle(const DenseTensor& x, int diagonal, bool lower,
                  DenseTensor* out);

template <typename T, typename Context>
absl::Status StackKernel(const Context&, DenseList x, int axis,
                         DenseTensor* out) {
  return MoveStack(x, axis, out);
}

template <typename T, typename Context>
absl::Status TileKernel(const Context&, const DenseTensor& x,
                        IntArray repeat_times, DenseTensor* out) {
  MoveTile(x, repeat_times, out);
  return absl::OkStatus();
}

template <typename T, typename Context>
absl::Status PadKernel(const Context&, const DenseTensor& x,
                       absl::Span<const int64_t> paddings,
                       const Scalar& pad_value, DenseTensor* out) {
  const T value = pad_value.to<T>();
  FillElements(sizeof(T), &value, out->numel(), out->mutable_data<T>());
  MovePad(x, paddings, out);
  return absl::OkStatus();
}

template <typename T, typename Context>
absl::Status FlipKernel(const Context&, const DenseTensor& x,
                        absl::Span<const int> axis, DenseTensor* out) {
  return MoveFlip(x, axis, out);
}

template <typename T, typename Context>
absl::Status TrilKernel(const Context&, const DenseTensor& x, int diagonal,
                        DenseTensor* out) {
  MoveTriangle(x, diagonal, /*lower=*/true, out);
  return absl::OkStatus();
}

template <typename T, typename Context>
absl::Status TriuKernel(const Context&, const DenseTensor& x, int diagonal,
                        DenseTensor* out) {
  MoveTriangle(x, diagonal, /*lower=*/false, out);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_CPU_REARRANGE_H_
