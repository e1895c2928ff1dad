// SPDX-License-Identifier: Apache-2.0
// How sums are taken: the reductions (phi/kernels/cpu/reduction/reduce.h) of
// sum, mean and reduce_as on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_SUM_REDUCTION_H_
#define SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_SUM_REDUCTION_H_

#include <complex>
#include <cstdint>
#include <type_traits>

#include "phi/kernels/cpu/conversion/half_conversion.h"
#include "phi/kernels/cpu/reduction/reduce_simd.h"

namespace switchyard::phi::kernels::cpu {

// float16 and bfloat16 are reduced in float (sums of rows in double) and
// rounded once.
template <typename T>
inline constexpr bool kWidens = sizeof(T) == 2;
template <typename T>
using Wide = std::conditional_t<kWidens<T>, float, T>;

// Sum: of floating numbers in their own type by columns, but in double from
// kColumnRows rows to the next; in double by rows; of integers in int64.
// `OutType` is the dtype of the result.
template <typename T, typename OutType =
                          std::conditional_t<std::is_integral_v<T>, int64_t, T>>
struct SumReduction {
  using Out = OutType;
  using Total = std::conditional_t<std::is_integral_v<T>, int64_t, double>;
  using Column = std::conditional_t<std::is_integral_v<T>, int64_t, Wide<T>>;
  static constexpr Total kStart = 0;
  static constexpr Column kColumnStart = 0;
  // Row adds to its total one sum of the whole span.
  static constexpr bool kAddsOneSum = !std::is_integral_v<T> && !kWidens<T>;
  static constexpr int64_t kColumnRows =
      std::is_same_v<Column, float> ? 256 : 0;
  static Total Row(const T* x, int64_t n, Total total) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<Total>(static_cast<uint64_t>(total) +
                                static_cast<uint64_t>(SumSpan(x, n)));
    } else if constexpr (kWidens<T>) {
      ForEachWidened(x, n, [&](int64_t, const float* span, int64_t count) {
        total += SumSpan(span, count);
      });
      return total;
    } else {
      return total + SumSpan(x, n);
    }
  }
  static void Columns(const T* x, int64_t n, Column* to) {
    if constexpr (kWidens<T>) {
      ForEachWidened(x, n, [&](int64_t at, const float* span, int64_t count) {
        AddSpan(span, count, to + at);
      });
    } else {
      AddSpan(x, n, to);
    }
  }
  static Total Join(Total a, Total b) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<Total>(static_cast<uint64_t>(a) +
                                static_cast<uint64_t>(b));
    } else {
      return a + b;
    }
  }
  Out Finish(Total total) const { return static_cast<Out>(total); }
  Out FinishColumn(Column total) const { return static_cast<Out>(total); }
};

// Sum of complex numbers, in double; infinities of one part stay there.
template <typename Part>
struct SumReduction<std::complex<Part>, std::complex<Part>> {
  using T = std::complex<Part>;
  using Out = T;
  using Total = std::complex<double>;
  using Column = std::complex<double>;
  static constexpr Total kStart = 0;
  static constexpr Column kColumnStart = 0;
  static Total Row(const T* x, int64_t n, Total total) {
    for (int64_t i = 0; i < n; ++i) total += Total(x[i]);
    return total;
  }
  static void Columns(const T* x, int64_t n, Column* to) {
    for (int64_t i = 0; i < n; ++i) to[i] += Column(x[i]);
  }
  static Total Join(Total a, Total b) { return a + b; }
  Out Finish(Total total) const { return Out(total); }
  Out FinishColumn(Column total) const { return Out(total); }
};

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_SUM_REDUCTION_H_
