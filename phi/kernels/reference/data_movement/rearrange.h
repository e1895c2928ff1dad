// SPDX-License-Identifier: Apache-2.0
// Reference kernels that put elements elsewhere: for each element of the result
// the one that it comes from. Copies, concat and slices are in data_movement.h,
// what follows index tensors in indexing.h.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_DATA_MOVEMENT_REARRANGE_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_DATA_MOVEMENT_REARRANGE_H_

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "framework/types/scalar.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

template <typename S>
inline constexpr auto kStackSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status StackKernel(const ReferenceContext&, DenseList x, int axis,
                         DenseTensor* out) {
  if (axis < 0) axis += out->rank();
  for (int64_t i = 0; i < out->numel(); ++i) {
    const Index index = Unravel(out->shape(), i);
    Index own = {};
    for (int a = 0; a + 1 < out->rank(); ++a) {
      own[a] = index[a < axis ? a : a + 1];
    }
    out->mutable_data<T>()[i] = At<T>(x[index[axis]], own);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kTileSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status TileKernel(const ReferenceContext&, const DenseTensor& x, IntArray,
                        DenseTensor* out) {
  const int lead = out->rank() - x.rank();
  for (int64_t i = 0; i < out->numel(); ++i) {
    const Index index = Unravel(out->shape(), i);
    Index own = {};
    for (int axis = 0; axis < x.rank(); ++axis) {
      own[axis] = index[lead + axis] % x.extent(axis);
    }
    out->mutable_data<T>()[i] = At<T>(x, own);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kPadSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status PadKernel(const ReferenceContext&, const DenseTensor& x,
                       absl::Span<const int64_t> paddings,
                       const Scalar& pad_value, DenseTensor* out) {
  for (int64_t i = 0; i < out->numel(); ++i) {
    Index index = Unravel(out->shape(), i);
    bool inside = true;
    for (int axis = 0; axis < x.rank(); ++axis) {
      index[axis] -= paddings[2 * axis];
      inside = inside && index[axis] >= 0 && index[axis] < x.extent(axis);
    }
    out->mutable_data<T>()[i] = inside ? At<T>(x, index) : pad_value.to<T>();
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kPadGradSpec =
    KernelSpec<S>().AllStrided().Input(S::kX, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status PadGradKernel(const ReferenceContext&, const DenseTensor&,
                           const DenseTensor& out_grad,
                           absl::Span<const int64_t> paddings,
                           DenseTensor* x_grad) {
  for (int64_t i = 0; i < x_grad->numel(); ++i) {
    Index index = Unravel(x_grad->shape(), i);
    for (int axis = 0; axis < x_grad->rank(); ++axis) {
      index[axis] += paddings[2 * axis];
    }
    x_grad->mutable_data<T>()[i] = At<T>(out_grad, index);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kFlipSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status FlipKernel(const ReferenceContext&, const DenseTensor& x,
                        absl::Span<const int> axis, DenseTensor* out) {
  for (int64_t i = 0; i < x.numel(); ++i) {
    Index index = Unravel(x.shape(), i);
    for (const int a : axis) {
      const int flipped = a < 0 ? a + x.rank() : a;
      index[flipped] = x.extent(flipped) - 1 - index[flipped];
    }
    out->mutable_data<T>()[i] = At<T>(x, index);
  }
  return absl::OkStatus();
}

// sign * (column - row - diagonal) <= 0 is kept.
template <typename T>
void Triangle(const DenseTensor& x, int diagonal, int sign, DenseTensor* out) {
  for (int64_t i = 0; i < x.numel(); ++i) {
    const Index index = Unravel(x.shape(), i);
    const int64_t beyond = index[x.rank() - 1] - index[x.rank() - 2] - diagonal;
    out->mutable_data<T>()[i] = sign * beyond <= 0 ? At<T>(x, i) : T{};
  }
}

template <typename S>
inline constexpr auto kTrilSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status TrilKernel(const ReferenceContext&, const DenseTensor& x,
                        int diagonal, DenseTensor* out) {
  Triangle<T>(x, diagonal, 1, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kTriuSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status TriuKernel(const ReferenceContext&, const DenseTensor& x,
                        int diagonal, DenseTensor* out) {
  Triangle<T>(x, diagonal, -1, out);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_DATA_MOVEMENT_REARRANGE_H_
