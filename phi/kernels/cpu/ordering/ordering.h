// SPDX-License-Identifier: Apache-2.0
// The kernels of topk, argsort and cumsum on the CPU. Elements are turned into
// unsigned keys of the same order (NaN above all numbers, -0 equal to 0), so
// that the sort knows no dtype; position decides among equal keys.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_ORDERING_ORDERING_H_
#define SWITCHYARD_PHI_KERNELS_CPU_ORDERING_ORDERING_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/simd/axis_slices.h"
#include "phi/kernels/cpu/simd/workspace.h"

namespace switchyard::phi::kernels::cpu {

// An element's key and where it stood.
struct OrderEntry {
  uint64_t key;
  int64_t position;
};

// Puts the `count` first of [0, n) in front, in order of (key, position).
void SortFirst(OrderEntry* entries, int64_t n, int64_t count);

// Unsigned, in the order of the elements.
template <typename T>
uint64_t OrderKey(T x) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<uint64_t>(int64_t{x}) ^ uint64_t { 1 } << 63;
  } else {
    const double value = static_cast<double>(x);
    if (value != value) return std::numeric_limits<uint64_t>::max();
    const double positive_zero = value + 0.0;
    uint64_t bits;
    std::memcpy(&bits, &positive_zero, sizeof(bits));
    // Negative numbers grow downwards.
    return bits >> 63 != 0 ? ~bits : bits | uint64_t{1} << 63;
  }
}

// The `count` first elements of each line along `axis`, largest first where
// `descending`, and their positions.
template <typename T>
absl::Status OrderLines(Allocator& allocator, const DenseTensor& x, int axis,
                        int64_t count, bool descending, DenseTensor* out,
                        DenseTensor* indices) {
  if (out->numel() == 0) return absl::OkStatus();
  const AxisSlices lines = AxisSlices::Along(x.shape(), axis);
  const uint64_t flip = descending ? ~uint64_t{0} : 0;
  const int64_t grain = std::max<int64_t>(1, (1 << 12) / lines.extent);
  return ParallelForWithWorkspace<OrderEntry>(
      allocator, lines.outer * lines.inner, grain, lines.extent,
      [&](int64_t begin, int64_t end, OrderEntry* entries) {
        for (int64_t line = begin; line < end; ++line) {
          const int64_t o = line / lines.inner, i = line % lines.inner;
          const T* from = x.data<T>() + o * lines.extent * lines.inner + i;
          for (int64_t p = 0; p < lines.extent; ++p) {
            entries[p] = {OrderKey(from[p * lines.inner]) ^ flip, p};
          }
          SortFirst(entries, lines.extent, count);
          const int64_t first = o * count * lines.inner + i;
          for (int64_t p = 0; p < count; ++p) {
            const int64_t at = first + p * lines.inner;
            const int64_t position = entries[p].position;
            out->mutable_data<T>()[at] = from[position * lines.inner];
            indices->mutable_data<int64_t>()[at] = position;
          }
        }
      });
}

template <typename S>
inline constexpr auto kTopkSpec =
    KernelSpec<S>().Output(S::kIndices, Fixed(DataType::kInt64));
template <typename T>
absl::Status TopkKernel(const CpuContext& context, const DenseTensor& x, int k,
                        int axis, bool largest, bool /*sorted*/,
                        DenseTensor* out, DenseTensor* indices) {
  return OrderLines<T>(context.allocator(), x, axis, k, largest, out, indices);
}

template <typename S>
inline constexpr auto kArgsortSpec =
    KernelSpec<S>().Output(S::kIndices, Fixed(DataType::kInt64));
template <typename T>
absl::Status ArgsortKernel(const CpuContext& context, const DenseTensor& x,
                           int axis, bool descending, bool /*stable*/,
                           DenseTensor* out, DenseTensor* indices) {
  const int64_t extent = AxisSlices::Along(x.shape(), axis).extent;
  return OrderLines<T>(context.allocator(), x, axis, extent, descending, out,
                       indices);
}

// Lines side by side: their sums are kept together.
inline constexpr int64_t kCumsumColumns = 64;

// The lines [column, column + width) of one slice, from `first` on, `step`
// elements (negative: from the end) apart.
template <typename T>
void CumsumLines(const T* x, T* out, int64_t extent, int64_t step,
                 int64_t width, bool exclusive) {
  using Sum =
      std::conditional_t<std::is_integral_v<T>, uint64_t,
                         std::conditional_t<sizeof(T) == 2, float, double>>;
  Sum sums[kCumsumColumns] = {};
  for (int64_t p = 0; p < extent; ++p, x += step, out += step) {
    for (int64_t i = 0; i < width; ++i) {
      const Sum before = sums[i];
      sums[i] += static_cast<Sum>(x[i]);
      out[i] = static_cast<T>(exclusive ? before : sums[i]);
    }
  }
}

template <typename S>
inline constexpr auto kCumsumSpec = KernelSpec<S>();
template <typename T>
absl::Status CumsumKernel(const CpuContext&, const DenseTensor& x, int axis,
                          bool flatten, bool exclusive, bool reverse,
                          DenseTensor* out) {
  const AxisSlices lines = flatten ? AxisSlices{1, x.numel(), 1}
                                   : AxisSlices::Along(x.shape(), axis);
  if (x.numel() == 0) return absl::OkStatus();
  const T* from = x.data<T>();
  T* to = out->mutable_data<T>();
  const int64_t parts = (lines.inner + kCumsumColumns - 1) / kCumsumColumns;
  const int64_t step = reverse ? -lines.inner : lines.inner;
  const int64_t work = lines.extent * std::min(kCumsumColumns, lines.inner);
  const int64_t grain = std::max<int64_t>(1, (1 << 14) / work);
  ParallelFor(0, lines.outer * parts, grain, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const int64_t column = t % parts * kCumsumColumns;
      const int64_t slice = t / parts * lines.extent;
      const int64_t first = reverse ? slice + lines.extent - 1 : slice;
      const int64_t at = first * lines.inner + column;
      CumsumLines(from + at, to + at, lines.extent, step,
                  std::min(kCumsumColumns, lines.inner - column), exclusive);
    }
  });
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_ORDERING_ORDERING_H_
