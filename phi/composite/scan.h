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
#include "phi/composite/calls/of_scan.h"
#include "phi/composite/elements.h"
#include "phi/composite/ops.h"
#include "phi/composite/reduced_shape.h"
#include "phi/composite/widening.h"

namespace switchyard::phi::composite {

// Gradient of cummax and cummin: each gradient is added to the element that it
// came from. Differentiable again.
inline void RunningExtremeGrad(Ops& ops, const Value& x, const Value& indices,
                               const Value& out_grad, int axis, Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value zeros = FullLike(ops, x, 0);
  *x_grad = op::put_along_axis(ops, zeros, indices, out_grad, axis, "add");
}

// The largest elements of x, 0 for those that are infinite. Not an operator's
// composite itself.
inline Value FiniteMax(Ops& ops, const Value& x, AttrArg<IntArray> axis,
                       bool keepdim) {
  const Value largest = op::max(ops, x, axis, keepdim);
  const Value zeros = FullLike(ops, largest, 0);
  return op::where(ops, op::isfinite(ops, largest), largest, zeros);
}

// v with one more element, `value`, at the end of each axis. Not an operator's
// composite itself.
inline Value Grown(Ops& ops, const Value& v, double value) {
  std::vector<int64_t> paddings;
  for (int i = 0; i < ops.shape(v).rank(); ++i) {
    paddings.push_back(0);
    paddings.push_back(1);
  }
  return paddings.empty() ? v : op::pad(ops, v, paddings, Scalar(value));
}

// v without what Grown adds. Not an operator's composite itself.
inline Value Shrunk(Ops& ops, const Value& v) {
  std::vector<int64_t> axes;
  for (int i = 0; i < ops.shape(v).rank(); ++i) axes.push_back(i);
  const std::vector<int64_t> starts(axes.size(), 0), ends(axes.size(), -1);
  return axes.empty() ? v : op::slice(ops, v, axes, starts, ends);
}

// logsumexp where it is not known whether there are elements to take the
// largest of: x gets some that are -inf. Not an operator's composite itself.
inline Value LogsumexpOfSome(Ops& ops, const Value& x, AttrArg<IntArray> axis,
                             bool keepdim) {
  const Value grown = Grown(ops, x, -std::numeric_limits<double>::infinity());
  const Value held = FiniteMax(ops, grown, axis, /*keepdim=*/true);
  const Value rest =
      op::subtract(ops, x, Shrunk(ops, op::expand_as(ops, held, grown)));
  const Value sums = op::log(ops, op::sum(ops, op::exp(ops, rest), axis,
                                          DataType::kUndefined, keepdim));
  const Value moved = keepdim ? held : FiniteMax(ops, grown, axis, false);
  return Shrunk(ops, op::add(ops, Grown(ops, sums, 0.0), moved));
}

// log(sum(exp(x - m))) + m, where m is the largest element, or 0 where that is
// infinite; over no elements without m.
inline void Logsumexp(Ops& ops, const Value& x, AttrArg<IntArray> axis,
                      bool keepdim, Value* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(x);
  bool known = axis.known();
  for (int i = 0; known && i < shape.rank(); ++i) {
    known = shape[i].known() || !Reduced(axis, shape.rank())[i];
  }
  if (!known) {
    const Value some = LogsumexpOfSome(ops, Widened(ops, x), axis, keepdim);
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
  const auto log_of_sum = [&](const Value& v) {
    return op::log(ops, op::sum(ops, op::exp(ops, v), folded,
                                DataType::kUndefined, /*keepdim=*/true));
  };
  Value sums;
  const Value wide = Widened(ops, x);
  if (rank == 0) {  // One element is its own logarithm.
    sums = op::add(ops, wide, FullLike(ops, wide, 0));
  } else if (empty) {
    sums = log_of_sum(wide);
  } else {
    const Value held = FiniteMax(ops, wide, folded, /*keepdim=*/true);
    sums = op::add(ops, log_of_sum(op::subtract(ops, wide, held)), held);
  }
  sums = Narrowed(ops, sums, ops.dtype(x));
  *out = keepdim || folded.empty() ? sums : op::squeeze(ops, sums, folded);
}

// The gradient of logsumexp: that of each element in proportion to exp(x).
// Differentiable again.
inline void LogsumexpGrad(Ops& ops, const Value& x, const Value& out,
                          const Value& out_grad, AttrArg<IntArray> axis,
                          bool keepdim, Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value sums = AlongReducedAxes(ops, x, out, axis, keepdim);
  const Value grad = AlongReducedAxes(ops, x, out_grad, axis, keepdim);
  // Where all are -inf, none has a part in the result.
  const Value lowest =
      FullLike(ops, sums, -std::numeric_limits<double>::infinity());
  const Value held = op::where(ops, op::equal(ops, sums, lowest),
                               FullLike(ops, sums, 0), sums);
  *x_grad = op::multiply(ops, grad, op::exp(ops, op::subtract(ops, x, held)));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_SCAN_H_
