// SPDX-License-Identifier: Apache-2.0
// The kernels of the reductions on the CPU. Inputs are contiguous. A result
// element is one thread's, and its terms are combined in an order that the
// shape alone decides, so threads don't change its bits.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_REDUCE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_REDUCE_H_

#include <algorithm>
#include <limits>
#include <type_traits>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/kernels/cpu/reduce_plan.h"
#include "phi/kernels/cpu/reduce_spans.h"

namespace switchyard::phi::kernels {

// Elements of x that are worth a thread.
inline constexpr int64_t kReduceGrain = 1 << 15;
// Columns that are reduced side by side.
inline constexpr int64_t kReduceColumns = 512;

// Sum: of floating numbers in their own type by columns, in double by rows;
// of integers in int64.
template <typename T>
struct SumReduction {
  using Out = std::conditional_t<std::is_integral_v<T>, int64_t, T>;
  using Total = std::conditional_t<std::is_integral_v<T>, int64_t, double>;
  static constexpr Total kStart = 0;
  static Total Row(const T* x, int64_t n, Total total) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<Total>(static_cast<uint64_t>(total) +
                                static_cast<uint64_t>(SumSpan(x, n)));
    } else {
      return total + SumSpan(x, n);
    }
  }
  static void Columns(const T* x, int64_t n, Out* to) { AddSpan(x, n, to); }
};

template <typename T>
struct MaxReduction {
  using Out = T;
  using Total = T;
  static constexpr Total kStart = std::numeric_limits<T>::has_infinity
                                      ? -std::numeric_limits<T>::infinity()
                                      : std::numeric_limits<T>::min();
  static Total Row(const T* x, int64_t n, Total total) {
    return MaxSpan(x, n, total);
  }
  static void Columns(const T* x, int64_t n, T* to) { MaxSpan(x, n, to); }
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

// The last axis is reduced: spans of x go to one element each.
template <typename R, typename T>
void ReduceRows(const ReducePlan& plan, const T* x, typename R::Out* out) {
  const int64_t n = plan.axes[plan.rank - 1].extent;
  const int64_t grain =
      std::max<int64_t>(1, kReduceGrain / std::max<int64_t>(1, plan.reduced));
  ParallelFor(0, plan.kept, grain, [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      const T* from = x + OffsetOfKept(plan, o);
      typename R::Total total = R::kStart;
      ForEachReduced(plan,
                     [&](int64_t at) { total = R::Row(from + at, n, total); });
      out[o] = static_cast<typename R::Out>(total);
    }
  });
}

// The last axis is kept: columns are reduced side by side.
template <typename R, typename T>
void ReduceColumns(const ReducePlan& plan, const T* x, typename R::Out* out) {
  const int64_t n = plan.axes[plan.rank - 1].extent;
  const int64_t parts = (n + kReduceColumns - 1) / kReduceColumns;
  const int64_t work =
      std::max<int64_t>(1, plan.reduced * std::min(n, kReduceColumns));
  const int64_t grain = std::max<int64_t>(1, kReduceGrain / work);
  ParallelFor(0, plan.kept / n * parts, grain, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const int64_t column = t % parts * kReduceColumns;
      const int64_t count = std::min(kReduceColumns, n - column);
      typename R::Out* to = out + t / parts * n + column;
      const T* from = x + OffsetOfKept(plan, t / parts * n + column);
      std::fill_n(to, count, static_cast<typename R::Out>(R::kStart));
      ForEachReduced(plan,
                     [&](int64_t at) { R::Columns(from + at, count, to); });
    }
  });
}

// Every result element of R over x; of no terms it is R::kStart.
template <typename R, typename T>
void Reduce(const ReducePlan& plan, const T* x, typename R::Out* out) {
  if (plan.reduced == 0 || plan.kept == 0) {
    std::fill_n(out, plan.kept, static_cast<typename R::Out>(R::kStart));
  } else if (plan.axes[plan.rank - 1].reduced()) {
    ReduceRows<R>(plan, x, out);
  } else {
    ReduceColumns<R>(plan, x, out);
  }
}

template <typename T, typename Context>
absl::Status SumKernel(const Context&, const DenseTensor& x,
                       absl::Span<const int64_t> axis, bool, DenseTensor* out) {
  using R = SumReduction<T>;
  Reduce<R>(ReducePlan::OfAxes(x.shape(), axis), x.data<T>(),
            out->mutable_data<typename R::Out>());
  return absl::OkStatus();
}

template <typename T, typename Context>
absl::Status MeanKernel(const Context&, const DenseTensor& x,
                        absl::Span<const int64_t> axis, bool,
                        DenseTensor* out) {
  const ReducePlan plan = ReducePlan::OfAxes(x.shape(), axis);
  T* to = out->mutable_data<T>();
  Reduce<SumReduction<T>>(plan, x.data<T>(), to);
  const T count = static_cast<T>(plan.reduced);
  for (int64_t i = 0; i < plan.kept; ++i) to[i] /= count;
  return absl::OkStatus();
}

template <typename T, typename Context>
absl::Status MaxKernel(const Context&, const DenseTensor& x,
                       absl::Span<const int64_t> axis, bool, DenseTensor* out) {
  Reduce<MaxReduction<T>>(ReducePlan::OfAxes(x.shape(), axis), x.data<T>(),
                          out->mutable_data<T>());
  return absl::OkStatus();
}

template <typename T, typename Context>
absl::Status ReduceAsKernel(const Context&, const DenseTensor& x,
                            const DenseTensor& target, DenseTensor* out) {
  const ReducePlan plan =
      ReducePlan::ToShape(x.shape(), target.shape(), x.rank() - target.rank());
  Reduce<SumReduction<T>>(plan, x.data<T>(), out->mutable_data<T>());
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_CPU_REDUCE_H_
