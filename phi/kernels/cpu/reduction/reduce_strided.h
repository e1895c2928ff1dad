// SPDX-License-Identifier: Apache-2.0
// ReduceTensor: phi/kernels/cpu/reduction/reduce.h's Reduce over tensors of any
// strides, without a copy of what a view spans. The terms of an element are
// combined in the order and in the blocks of a contiguous tensor, so that
// strides don't change bits; of zeros of both signs that are an extreme, either
// may be the result.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_REDUCE_STRIDED_H_
#define SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_REDUCE_STRIDED_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/strided_copy.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/kernels/cpu/reduction/reduce.h"
#include "phi/kernels/cpu/reduction/strided_source.h"
#include "phi/kernels/cpu/simd/workspace.h"

namespace switchyard::phi::kernels::cpu {

// Elements that are read at once: a whole number of the blocks of sums and of
// the spans that are widened.
inline constexpr int64_t kReducePiece = 4096;
// Views of at most these elements are copied: one copy is faster than pieces.
inline constexpr int64_t kReduceCopied = 1 << 16;

// R::Row adds to its total one sum of the span.
template <typename R, typename = void>
inline constexpr bool kAddsOneSum = false;
template <typename R>
inline constexpr bool kAddsOneSum<R, std::void_t<decltype(R::kAddsOneSum)>> =
    R::kAddsOneSum;

// R::Row keeps parts of its total apart until the end of the span: R::Split()
// makes them, R::Take() takes in a piece, R::Unite() makes the total.
template <typename R, typename = void>
inline constexpr bool kHasParts = false;
template <typename R>
inline constexpr bool kHasParts<R, std::void_t<typename R::Parts>> = true;

// R::Row over the elements [first, first + n) of the source.
template <typename R, typename T>
typename R::Total RowOf(const StridedSource<T>& x, int64_t first, int64_t n,
                        typename R::Total total, T* piece) {
  if constexpr (kHasParts<R>) {
    typename R::Parts parts = R::Split(total);
    for (int64_t at = 0; at < n; at += kReducePiece) {
      const int64_t count = std::min(kReducePiece, n - at);
      x.Read(first + at, count, piece);
      R::Take(piece, count, &parts);
    }
    return R::Unite(parts);
  }
  typename R::Total row = kAddsOneSum<R> ? R::kStart : total;
  for (int64_t at = 0; at < n; at += kReducePiece) {
    const int64_t count = std::min(kReducePiece, n - at);
    x.Read(first + at, count, piece);
    if constexpr (kAddsOneSum<R>) {
      row += R::Row(piece, count, R::kStart);
    } else {
      row = R::Row(piece, count, row);
    }
  }
  if constexpr (kAddsOneSum<R>) return total + row;
  return row;
}

// As ReduceAll.
template <typename R, typename T>
absl::Status ReduceAllOf(Allocator& allocator, const StridedSource<T>& x,
                         int64_t n, typename R::Out* out, const R& r) {
  constexpr int64_t kParts = 64;
  const int64_t chunk = std::max(kReduceGrain, (n - 1) / kParts + 1);
  typename R::Total totals[kParts];
  SY_RETURN_IF_ERROR(ParallelForWithWorkspace<T>(
      allocator, n, chunk, kReducePiece,
      [&](int64_t begin, int64_t end, T* piece) {
        totals[begin / chunk] =
            RowOf<R>(x, begin, end - begin, R::kStart, piece);
      }));
  typename R::Total total = totals[0];
  for (int64_t i = 1; i < ChunkCount(0, n, chunk); ++i) {
    total = R::Join(total, totals[i]);
  }
  *out = r.Finish(total);
  return absl::OkStatus();
}

// As ReduceRows.
template <typename R, typename T>
absl::Status ReduceRowsOf(Allocator& allocator, const ReducePlan& plan,
                          const StridedSource<T>& x, typename R::Out* out,
                          const R& r) {
  const int64_t n = plan.axes[plan.rank - 1].extent;
  if constexpr (kJoins<R>) {
    if (plan.kept == 1 && plan.rank == 1 && n >= 2 * kReduceGrain) {
      return ReduceAllOf(allocator, x, n, out, r);
    }
  }
  const int64_t grain = std::max<int64_t>(1, kReduceGrain / plan.reduced);
  return ParallelForWithWorkspace<T>(
      allocator, plan.kept, grain, std::min(n, kReducePiece),
      [&](int64_t begin, int64_t end, T* piece) {
        for (int64_t o = begin; o < end; ++o) {
          const int64_t first = OffsetOfKept(plan, o);
          typename R::Total total = R::kStart;
          ForEachReduced(plan, [&](int64_t at) {
            total = RowOf<R>(x, first + at, n, total, piece);
          });
          out[o] = r.Finish(total);
        }
      });
}

// As ReduceColumns.
template <typename R, typename T>
absl::Status ReduceColumnsOf(Allocator& allocator, const ReducePlan& plan,
                             const StridedSource<T>& x, typename R::Out* out,
                             const R& r) {
  const int64_t n = plan.axes[plan.rank - 1].extent;
  const int64_t columns = std::min(n, kReduceColumns);
  const int64_t parts = (n + columns - 1) / columns;
  const int64_t grain =
      std::max<int64_t>(1, kReduceGrain / (plan.reduced * columns));
  return ParallelForWithWorkspace<T>(
      allocator, plan.kept / n * parts, grain, columns,
      [&](int64_t begin, int64_t end, T* piece) {
        for (int64_t t = begin; t < end; ++t) {
          const int64_t column = t % parts * columns;
          const int64_t count = std::min(columns, n - column);
          const int64_t o = t / parts * n + column;
          const int64_t first = OffsetOfKept(plan, o);
          ColumnTotals<R> totals(count);
          ForEachReduced(plan, [&](int64_t at) {
            x.Read(first + at, count, piece);
            totals.Add(static_cast<const T*>(piece));
          });
          totals.Finish(r, out + o);
        }
      });
}

// Every result element of R over x, whose elements are T in memory, whatever
// its strides.
template <typename R, typename T>
absl::Status ReduceTensor(const CpuContext& context, const ReducePlan& plan,
                          const DenseTensor& x, typename R::Out* out,
                          const R& r = R()) {
  const T* data = static_cast<const T*>(x.raw_data());
  if (plan.reduced == 0 || plan.kept == 0 ||
      IsContiguous(x.shape(), x.strides())) {
    Reduce<R>(plan, data, out, r);
    return absl::OkStatus();
  }
  Allocator& allocator = context.allocator();
  if (x.numel() <= kReduceCopied) {
    SY_ASSIGN_OR_RETURN(const Workspace<T> copy,
                        Workspace<T>::Make(allocator, x.numel()));
    CopyStrided(sizeof(T), x.shape(), data, x.strides(), copy.data(),
                ContiguousStrides(x.shape()));
    Reduce<R>(plan, static_cast<const T*>(copy.data()), out, r);
    return absl::OkStatus();
  }
  const StridedSource<T> source(x, data);
  return plan.axes[plan.rank - 1].reduced()
             ? ReduceRowsOf(allocator, plan, source, out, r)
             : ReduceColumnsOf(allocator, plan, source, out, r);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_REDUCE_STRIDED_H_
