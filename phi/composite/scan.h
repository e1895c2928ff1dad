// SPDX-License-Identifier: Apache-2.0
// logsumexp and the gradients of running extremes, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_SCAN_H_
#define SWITCHYARD_PHI_COMPOSITE_SCAN_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/attr_arg.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/reduced_shape.h"

namespace switchyard::phi::composite {

// Gradient of cummax and cummin: each gradient is added to the element that it
// came from. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void RunningExtremeGrad(Ops& ops, const V& x, const V& indices,
                        const V& out_grad, int axis, V* x_grad) {
  if (x_grad == nullptr) return;
  const V zeros = ops.full_like(x, Scalar(0.0), DataType::kUndefined);
  *x_grad = ops.put_along_axis(zeros, indices, out_grad, axis, "add");
}

// The largest elements of x, 0 for those that are infinite. Not an operator's
// composite itself.
template <typename Ops, typename V = typename Ops::Value>
V FiniteMax(Ops& ops, const V& x, AttrArg<IntArray> axis, bool keepdim) {
  const V largest = ops.max(x, axis, keepdim);
  const V zeros = ops.full_like(largest, Scalar(0.0), DataType::kUndefined);
  return ops.where(ops.isfinite(largest), largest, zeros);
}

// log(sum(exp(x - m))) + m, where m is the largest element, or 0 where that is
// infinite; over no elements without m.
template <typename Ops, typename V = typename Ops::Value>
void Logsumexp(Ops& ops, const V& x, AttrArg<IntArray> axis, bool keepdim,
               V* out) {
  if (out == nullptr) return;
  if (!axis.known()) {
    const V held = FiniteMax(ops, x, axis, /*keepdim=*/true);
    const V sums = ops.sum(ops.exp(ops.subtract(x, held)), axis,
                           DataType::kUndefined, keepdim);
    *out =
        ops.add(ops.log(sums), keepdim ? held : FiniteMax(ops, x, axis, false));
    return;
  }
  const Shape shape = ops.shape(x);
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
  if (rank == 0) {
    *out = ops.log(ops.exp(x));
    return;
  }
  if (empty) {
    sums = log_of_sum(x);
  } else {
    const V held = FiniteMax(ops, x, folded, /*keepdim=*/true);
    sums = ops.add(log_of_sum(ops.subtract(x, held)), held);
  }
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
  *x_grad = ops.multiply(grad, ops.exp(ops.subtract(x, sums)));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_SCAN_H_
