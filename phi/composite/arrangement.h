// SPDX-License-Identifier: Apache-2.0
// Operators that cut tensors up or put them together by a rule, and gradients,
// made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_ARRANGEMENT_H_
#define SWITCHYARD_PHI_COMPOSITE_ARRANGEMENT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"

namespace switchyard::phi::composite {

// The gradient of roll: rolled back. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void RollGrad(Ops& ops, const V& out_grad, IntArray shifts,
              absl::Span<const int64_t> axis, V* x_grad) {
  if (x_grad == nullptr) return;
  std::vector<int64_t> back;
  // -2^63 has no opposite; the shift by one more and one less is the same.
  for (const int64_t shift : shifts) back.push_back(~shift);
  std::vector<int64_t> axes(axis.begin(), axis.end());
  V rolled = ops.roll(out_grad, back, axes);
  for (int64_t& step : back) step = 1;
  *x_grad = ops.roll(rolled, back, axes);
}

// The slices of x along an axis.
template <typename Ops, typename V = typename Ops::Value>
void Unstack(Ops& ops, const V& x, int axis, int num,
             typename Ops::OutputList out) {
  if (!out.any()) return;
  const Shape shape = ops.shape(x);
  const auto at = NormalizeAxis("axis", axis, shape.rank());
  if (!at.ok()) return ops.Fail(at.status());
  if (num < 1 || !MayEqual(shape[*at], Dim(num))) {
    return ops.Fail(
        ArgumentError("num", "the extent of the axis, " + ToString(shape[*at]),
                      std::to_string(num)));
  }
  const std::vector<int64_t> ones(num, 1);
  const std::vector<V> slices = ops.split(x, ones, *at);
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] != nullptr) *out[i] = ops.squeeze(slices[i], {int64_t{*at}});
  }
}

// Each list repeated along the axes of the others: to the shape, known or not,
// that broadcasting makes of all of them.
template <typename Ops, typename V = typename Ops::Value>
void Meshgrid(Ops& ops, const typename Ops::List& x,
              typename Ops::OutputList out) {
  if (!out.any()) return;
  const int64_t rank = static_cast<int64_t>(x.size());
  std::vector<V> lists;
  V grid;
  for (int64_t i = 0; i < rank; ++i) {
    const Shape shape = ops.shape(x[i]);
    if (shape.rank() > 1) {
      return ops.Fail(ArgumentError("x", "of lists", ToString(shape)));
    }
    std::vector<int64_t> axes;
    for (int64_t axis = 0; axis < rank; ++axis) {
      if (axis != i || shape.rank() == 0) axes.push_back(axis);
    }
    lists.push_back(axes.empty() ? x[i] : ops.unsqueeze(x[i], axes));
    const V zeros =
        ops.full_like(lists[i], Scalar(int64_t{0}), DataType::kInt8);
    grid = i == 0 ? zeros : ops.add(grid, zeros);
  }
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] != nullptr) *out[i] = ops.expand_as(lists[i], grid);
  }
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_ARRANGEMENT_H_
