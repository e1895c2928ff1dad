// SPDX-License-Identifier: Apache-2.0
// logsumexp and the gradients of running extremes, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_SCAN_H_
#define SWITCHYARD_PHI_COMPOSITE_SCAN_H_

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/attr_arg.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/elements.h"
#include "phi/composite/reduced_shape.h"
#include "phi/composite/widening.h"

namespace switchyard::phi::composite {

// Gradient of cummax and cummin: each gradient is added to the element that it
// came from. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void RunningExtremeGrad(Ops& ops, const V& x, const V& indices,
                        const V& out_grad, int axis, V* x_grad) {
  if (x_grad == nullptr) return;
  const V zeros = FullLike(ops, x, 0);
  *x_grad = ops.put_along_axis(zeros, indices, out_grad, axis, "add");
}

// The largest elements of x, 0 for those that are infinite. Not an operator's
// composite itself.
template <typename Ops, typename V = typename Ops::Value>
V FiniteMax(Ops& ops, const V& x, AttrArg<IntArray> axis, bool keepdim) {
  const V largest = ops.max(x, axis, keepdim);
  const V zeros = FullLike(ops, largest, 0);
  return ops.where(ops.isfinite(largest), largest, zeros);
}

// v with one more element, `value`, at the end of each axis. Not an operator's
// composite itself.
template <typename Ops, typename V = typename Ops::Value>
V Grown(Ops& ops, const V& v, double value) {
  std::vector<int64_t> paddings;
  for (int i = 0; i < ops.shape(v).rank(); ++i) {
    paddings.push_back(0);
    paddings.push_back(1);
  }
  return paddings.empty() ? v : ops.pad(v, paddings, Scalar(value));
}

// v without what Grown adds. Not an operator's composite itself.
template <typename Ops, typename V = typename Ops::Value>
V Shrunk(Ops& ops, const V& v) {
  std::vector<int64_t> axes;
  for (int i = 0; i < ops.shape(v).rank(); ++i) axes.push_back(i);
  const std::vector<int64_t> starts(axes.size(), 0), ends(axes.size(), -1);
  return axes.empty() ? v : ops.slice(v, axes, starts, ends);
}

// logsumexp where it is not known whether there are elements to take the
// largest of: x gets some that are -inf. Not an operator's composite itself.
template <typename Ops, typename V = typename Ops::Value>
V LogsumexpOfSome(Ops& ops, const V& x, AttrArg<IntArray> axis, bool keepdim) {
  const V grown = Grown(ops, x, -std::numeric_limits<double>::infinity());
  const V held = FiniteMax(ops, grown, axis, /*keepdim=*/true);
  const V rest = ops.subtract(x, Shrunk(ops, ops.expand_as(held, grown)));
  const V sums =
      ops.log(ops.sum(ops.exp(rest), axis, DataType::kUndefined, keepdim));
  const V moved = keepdim ? held : FiniteMax(ops, grown, axis, false);
  return Shrunk(ops, ops.add(Grown(ops, sums, 0.0), moved));
}

// log(sum(exp(x - m))) + m, where m is the largest element, or 0 where that is
// infinite; over no elements without m.
template <typename Ops, typename V = typename Ops::Value>
void Logsumexp(Ops& ops, const V& x, AttrArg<IntArray> axis, bool keepdim,
               V* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(x);
  bool known = axis.known();
  for (int i = 0; known && i < shape.rank(); ++i) {
    known = shape[i].known() || !Reduced(axis, shape.rank())[i];
  }
  if (!known) {
    const V some = LogsumexpOfSome(ops, Widened(ops, x), axis, keepdim);
    *out = Narrowed(ops, some, ops.dtype(x));
    return;
  }
  const int rank = shape.rank();
  for (const int64_t a : axis.value()) {
    const auto at = NormalizeAxis("axis", a, rank, /*scalar_ok=*/true);
    if (!at.ok()) return ops.Fail(at.status());
  }
  const std::array<bool, kMaxRank> reduced = Reduced(axis, rank);
  std::vector<int64_t> folded;
  bool empty = false;
  for (int i = 0; i < rank; ++i) {
    if (!reduced[i]) continue;
    folded.push_back(i);
    empty = empty || shape[i] == Dim(0);
  }
  const auto log_of_sum = [&](const V& v) {
    return ops.log(
        ops.sum(ops.exp(v), folded, DataType::kUndefined, /*keepdim=*/true));
  };
  V sums;
  const V wide = Widened(ops, x);
  if (rank == 0) {  // One element is its own logarithm.
    sums = ops.add(wide, FullLike(ops, wide, 0));
  } else if (empty) {
    sums = log_of_sum(wide);
  } else {
    const V held = FiniteMax(ops, wide, folded, /*keepdim=*/true);
    sums = ops.add(log_of_sum(ops.subtract(wide, held)), held);
  }
  sums = Narrowed(ops, sums, ops.dtype(x));
  *out = keepdim || folded.empty() ? sums : ops.squeeze(sums, folded);
}

// The gradient of logsumexp: that of each element in proportion to exp(x).
// Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void LogsumexpGrad(Ops& ops, const V& x, const V& out, const V& out_grad,
                   AttrArg<IntArray> axis, bool keepdim, V* x_grad) {
  if (x_grad == nullptr) return;
  const V sums = AlongReducedAxes(ops, x, out, axis, keepdim);
  const V grad = AlongReducedAxes(ops, x, out_grad, axis, keepdim);
  // Where all are -inf, none has a part in the result.
  const V lowest =
      FullLike(ops, sums, -std::numeric_limits<double>::infinity());
  const V held =
      ops.where(ops.equal(sums, lowest), FullLike(ops, sums, 0), sums);
  *x_grad = ops.multiply(grad, ops.exp(ops.subtract(x, held)));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_SCAN_H_
