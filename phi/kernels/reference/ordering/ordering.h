// SPDX-License-Identifier: Apache-2.0
// Reference kernels of cumsum, topk and argsort: sums over again for every
// element; places counted, not sorted.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ORDERING_ORDERING_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ORDERING_ORDERING_H_

#include <utility>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

template <typename S>
inline constexpr auto kCumsumSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status CumsumKernel(const ReferenceContext&, const DenseTensor& x,
                          int axis, bool flatten, bool exclusive, bool reverse,
                          DenseTensor* out) {
  using Sum = SumOf<T>;
  const Shape flat({x.numel()});
  const Lines lines(flatten ? flat : x.shape(), flatten ? 0 : axis);
  for (int64_t line = 0; line < lines.count(); ++line) {
    for (int64_t p = 0; p < lines.extent(); ++p) {
      Sum sum = 0;
      for (int64_t q = 0; q < lines.extent(); ++q) {
        const bool before = reverse ? q > p : q < p;
        if (!before && (exclusive || q != p)) continue;
        sum += static_cast<Sum>(At<T>(x, lines.at(line, q)));
      }
      out->mutable_data<T>()[lines.at(line, p)] = static_cast<T>(sum);
    }
  }
  return absl::OkStatus();
}

// Returns whether a stands before b: NaN is larger than every number.
template <typename T>
bool Precedes(T a, T b, bool descending) {
  if (descending) std::swap(a, b);
  return a == a && (a < b || b != b);
}

// Puts the elements whose place in their line's order is below `count` there.
template <typename T>
void PlaceInOrder(const DenseTensor& x, int axis, int64_t count,
                  bool descending, DenseTensor* out, DenseTensor* indices) {
  const Lines from(x.shape(), axis);
  const Lines to(out->shape(), axis);
  if (out->numel() == 0) return;
  for (int64_t line = 0; line < from.count(); ++line) {
    for (int64_t p = 0; p < from.extent(); ++p) {
      const T v = At<T>(x, from.at(line, p));
      int64_t place = 0;
      for (int64_t q = 0; q < from.extent(); ++q) {
        const T other = At<T>(x, from.at(line, q));
        // The first of equals comes first.
        place += Precedes(other, v, descending) ||
                 (q < p && !Precedes(v, other, descending));
      }
      if (place >= count) continue;
      out->mutable_data<T>()[to.at(line, place)] = v;
      indices->mutable_data<int64_t>()[to.at(line, place)] = p;
    }
  }
}

template <typename S>
inline constexpr auto kTopkSpec =
    KernelSpec<S>().AllStrided().Output(S::kIndices, Fixed(DataType::kInt64));
template <typename T>
absl::Status TopkKernel(const ReferenceContext&, const DenseTensor& x, int k,
                        int axis, bool largest, bool, DenseTensor* out,
                        DenseTensor* indices) {
  PlaceInOrder<T>(x, axis, k, largest, out, indices);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kArgsortSpec =
    KernelSpec<S>().AllStrided().Output(S::kIndices, Fixed(DataType::kInt64));
template <typename T>
absl::Status ArgsortKernel(const ReferenceContext&, const DenseTensor& x,
                           int axis, bool descending, bool, DenseTensor* out,
                           DenseTensor* indices) {
  PlaceInOrder<T>(x, axis, Lines(x.shape(), axis).extent(), descending, out,
                  indices);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ORDERING_ORDERING_H_
