// SPDX-License-Identifier: Apache-2.0
// Reduce, of which the kernels of reductions on the CPU are made
// (reduce_kernels.h, reduce_product.h, reduce_logical.h), over contiguous
// elements; reduce_strided.h has those of any strides. A result element is one
// thread's, and its terms are combined in an order that the shape alone
// decides, so threads don't change its bits.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_REDUCE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_REDUCE_H_

#include <algorithm>
#include <limits>
#include <type_traits>

#include "framework/device/cpu/parallel.h"
#include "phi/kernels/cpu/conversion/half_conversion.h"
#include "phi/kernels/cpu/reduction/reduce_simd.h"
#include "phi/kernels/cpu/reduction/sum_reduction.h"
#include "phi/shapes/reduce_plan.h"

namespace switchyard::phi::kernels::cpu {

// Elements of x that are worth a thread.
inline constexpr int64_t kReduceGrain = 1 << 15;
// Columns that are reduced side by side, at most: fewer at a time, and memory
// is read in pieces too short for the prefetcher (a quarter of [1000, 1000]
// takes twice as long).
inline constexpr int64_t kReduceColumns = 1024;

// A reduction R of elements T says how totals of rows (Total) and of columns
// side by side (Column) begin, take in spans of x and become results (Out).
// Sums are in sum_reduction.h.

// The mean: a sum that is divided by `count` at the end.
template <typename T>
struct MeanReduction : SumReduction<T> {
  double count = 1;
  T Finish(double total) const { return static_cast<T>(total / count); }
  T FinishColumn(Wide<T> total) const {
    return static_cast<T>(total / static_cast<Wide<T>>(count));
  }
};

// The largest (kLargest) or smallest element.
template <typename T, bool kLargest>
struct ExtremeReduction {
  using Out = T;
  using Total = Wide<T>;
  using Column = Wide<T>;
  using Limits = std::numeric_limits<Total>;
  static constexpr Total kHighest =
      Limits::has_infinity ? Limits::infinity() : Limits::max();
  static constexpr Total kLowest =
      Limits::has_infinity ? -Limits::infinity() : Limits::min();
  static constexpr Total kStart = kLargest ? kLowest : kHighest;
  static constexpr Column kColumnStart = kStart;
  static Total Row(const T* x, int64_t n, Total best) {
    if constexpr (kWidens<T>) {
      ForEachWidened(x, n, [&](int64_t, const float* span, int64_t count) {
        best =
            kLargest ? MaxSpan(span, count, best) : MinSpan(span, count, best);
      });
      return best;
    } else {
      return kLargest ? MaxSpan(x, n, best) : MinSpan(x, n, best);
    }
  }
  static void Columns(const T* x, int64_t n, Column* to) {
    if constexpr (kWidens<T>) {
      ForEachWidened(x, n, [&](int64_t at, const float* span, int64_t count) {
        kLargest ? MaxSpan(span, count, to + at)
                 : MinSpan(span, count, to + at);
      });
    } else {
      kLargest ? MaxSpan(x, n, to) : MinSpan(x, n, to);
    }
  }
  static Total Join(Total a, Total b) {
    return b != b || (kLargest ? a < b : b < a) ? b : a;
  }
  static Out Finish(Total best) { return static_cast<Out>(best); }
  static Out FinishColumn(Column best) { return static_cast<Out>(best); }
};

// Calls fn(offset in x) for every index of the plan's reduced axes before the
// last axis, in row-major order.
template <typename Fn>
void ForEachReduced(const ReducePlan& plan, Fn fn) {
  int64_t index[kMaxRank] = {};
  int64_t offset = 0;
  for (;;) {
    fn(offset);
    int axis = plan.rank - 2;
    for (; axis >= 0; --axis) {
      if (!plan.axes[axis].reduced()) continue;
      offset += plan.axes[axis].x_stride;
      if (++index[axis] < plan.axes[axis].extent) break;
      offset -= index[axis] * plan.axes[axis].x_stride;
      index[axis] = 0;
    }
    if (axis < 0) return;
  }
}

// Where the terms of result element `out` begin in x.
inline int64_t OffsetOfKept(const ReducePlan& plan, int64_t out) {
  int64_t offset = 0;
  for (int axis = plan.rank - 1; axis >= 0; --axis) {
    if (plan.axes[axis].reduced()) continue;
    offset += out % plan.axes[axis].extent * plan.axes[axis].x_stride;
    out /= plan.axes[axis].extent;
  }
  return offset;
}

// All of x goes to one element: chunks have totals of their own, which are
// combined in order. Of R that joins totals (Join) and of at most kParts
// chunks.
template <typename R, typename T>
void ReduceAll(const T* x, int64_t n, typename R::Out* out, const R& r) {
  constexpr int64_t kParts = 64;
  const int64_t chunk = std::max(kReduceGrain, (n - 1) / kParts + 1);
  typename R::Total totals[kParts];
  ParallelFor(0, n, chunk, [&](int64_t begin, int64_t end) {
    totals[begin / chunk] = R::Row(x + begin, end - begin, R::kStart);
  });
  typename R::Total total = totals[0];
  for (int64_t i = 1; i < ChunkCount(0, n, chunk); ++i) {
    total = R::Join(total, totals[i]);
  }
  *out = r.Finish(total);
}

template <typename R, typename = void>
inline constexpr bool kJoins = false;
template <typename R>
inline constexpr bool
    kJoins<R, std::void_t<decltype(R::Join(R::kStart, R::kStart))>> = true;

// The last axis is reduced: spans of x go to one element each.
template <typename R, typename T>
void ReduceRows(const ReducePlan& plan, const T* x, typename R::Out* out,
                const R& r) {
  const int64_t n = plan.axes[plan.rank - 1].extent;
  if constexpr (kJoins<R>) {
    if (plan.kept == 1 && plan.rank == 1 && n >= 2 * kReduceGrain) {
      ReduceAll(x, n, out, r);
      return;
    }
  }
  const int64_t grain =
      std::max<int64_t>(1, kReduceGrain / std::max<int64_t>(1, plan.reduced));
  ParallelFor(0, plan.kept, grain, [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      const T* from = x + OffsetOfKept(plan, o);
      typename R::Total total = R::kStart;
      ForEachReduced(plan,
                     [&](int64_t at) { total = R::Row(from + at, n, total); });
      out[o] = r.Finish(total);
    }
  });
}

// Rows after which the columns of R are added to totals in double, so that what
// rounding takes does not grow with the rows; 0: never.
template <typename R, typename = void>
inline constexpr int64_t kRowsAtOnce = 0;
template <typename R>
inline constexpr int64_t kRowsAtOnce<R, std::void_t<decltype(R::kColumnRows)>> =
    R::kColumnRows;

// `count` columns side by side on their way to results.
template <typename R>
class ColumnTotals {
 public:
  explicit ColumnTotals(int64_t count) : count_(count) {
    std::fill_n(columns_, count, R::kColumnStart);
  }
  // The next row.
  template <typename T>
  void Add(const T* x) {
    R::Columns(x, count_, columns_);
    if constexpr (kFolds) {
      if (++rows_ == kRowsAtOnce<R>) Fold();
    }
  }
  void Finish(const R& r, typename R::Out* out) {
    if constexpr (kFolds) {
      if (folded_) {
        Fold();
        for (int64_t i = 0; i < count_; ++i) out[i] = r.Finish(totals_[i]);
        return;
      }
    }
    for (int64_t i = 0; i < count_; ++i) out[i] = r.FinishColumn(columns_[i]);
  }

 private:
  void Fold() {
    if (!folded_) std::fill_n(totals_, count_, 0.0);
    for (int64_t i = 0; i < count_; ++i) {
      totals_[i] += static_cast<double>(columns_[i]);
      columns_[i] = R::kColumnStart;
    }
    folded_ = true;
    rows_ = 0;
  }

  static constexpr bool kFolds = kRowsAtOnce<R> != 0;

  int64_t count_;
  int64_t rows_ = 0;
  bool folded_ = false;
  typename R::Column columns_[kReduceColumns];
  double totals_[kFolds ? kReduceColumns : 1];
};

// The last axis is kept: columns are reduced side by side.
template <typename R, typename T>
void ReduceColumns(const ReducePlan& plan, const T* x, typename R::Out* out,
                   const R& r) {
  const int64_t n = plan.axes[plan.rank - 1].extent;
  const int64_t columns = std::min(n, kReduceColumns);
  const int64_t parts = (n + columns - 1) / columns;
  const int64_t work = std::max<int64_t>(1, plan.reduced * columns);
  const int64_t grain = std::max<int64_t>(1, kReduceGrain / work);
  ParallelFor(0, plan.kept / n * parts, grain, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const int64_t column = t % parts * columns;
      const int64_t count = std::min(columns, n - column);
      typename R::Out* to = out + t / parts * n + column;
      const T* from = x + OffsetOfKept(plan, t / parts * n + column);
      ColumnTotals<R> totals(count);
      ForEachReduced(plan, [&](int64_t at) { totals.Add(from + at); });
      totals.Finish(r, to);
    }
  });
}

// Every result element of R over x; of no terms it is R::kStart.
template <typename R, typename T>
void Reduce(const ReducePlan& plan, const T* x, typename R::Out* out,
            const R& r = R()) {
  if (plan.reduced == 0 || plan.kept == 0) {
    std::fill_n(out, plan.kept, r.Finish(R::kStart));
  } else if (plan.axes[plan.rank - 1].reduced()) {
    ReduceRows(plan, x, out, r);
  } else {
    ReduceColumns(plan, x, out, r);
  }
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_REDUCE_H_
