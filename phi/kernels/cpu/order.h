// SPDX-License-Identifier: Apache-2.0
// The kernels of topk and argsort on the CPU. Elements are turned into unsigned
// keys of the same order (NaN above all numbers, -0 equal to 0), so that what
// sorts knows no dtype; equals are told apart by their position.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_ORDER_H_
#define SWITCHYARD_PHI_KERNELS_CPU_ORDER_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "framework/base/status.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/float16.h"
#include "phi/kernels/cpu/lines.h"
#include "phi/kernels/cpu/scratch.h"

namespace switchyard::phi::kernels {

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
  const LineShape lines = LineShape::Along(x.shape(), axis);
  const uint64_t flip = descending ? ~uint64_t{0} : 0;
  const int64_t grain = std::max<int64_t>(1, (1 << 12) / lines.extent);
  return ParallelForWithScratch<OrderEntry>(
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

template <typename T, typename Context>
absl::Status TopkKernel(const Context& context, const DenseTensor& x, int k,
                        int axis, bool largest, bool /*sorted*/,
                        DenseTensor* out, DenseTensor* indices) {
  return OrderLines<T>(context.allocator(), x, axis, k, largest, out, indices);
}

template <typename T, typename Context>
absl::Status ArgsortKernel(const Context& context, const DenseTensor& x,
                           int axis, bool descending, bool /*stable*/,
                           DenseTensor* out, DenseTensor* indices) {
  const int64_t extent = LineShape::Along(x.shape(), axis).extent;
  return OrderLines<T>(context.allocator(), x, axis, extent, descending, out,
                       indices);
}

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_CPU_ORDER_H_
