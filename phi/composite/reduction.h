// SPDX-License-Identifier: Apache-2.0
// The gradients of reductions, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_REDUCTION_H_
#define SWITCHYARD_PHI_COMPOSITE_REDUCTION_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "framework/types/attr_arg.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_reduction.h"
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"
#include "phi/composite/ops.h"
#include "phi/composite/reduced_shape.h"

namespace switchyard::phi::composite {

// The gradient of sum over `axis` (empty: all): repeated along it.
// Differentiable again.
inline void SumGrad(Ops& ops, const Value& x, const Value& out_grad,
                    AttrArg<IntArray> axis, bool keepdim, Value* x_grad) {
  if (x_grad == nullptr) return;
  Value grad = out_grad;
  if (axis.known()) {
    grad = KeepReducedAxes(ops, x, out_grad, axis.value(), keepdim);
  } else if (!keepdim) {
    const Value shape =
        op::sum(ops, x, axis, ops.dtype(out_grad), /*keepdim=*/true);
    grad = op::reshape_grad(ops, shape, out_grad);
  }
  if (ops.dtype(grad) != ops.dtype(x)) grad = op::cast(ops, grad, ops.dtype(x));
  *x_grad = op::expand_as(ops, grad, x);
}

// The number of elements that a reduction of `shape` over `axis` folds into
// one; -1 if that is not known. Not an operator's composite itself.
inline double KnownCount(const Shape& shape, AttrArg<IntArray> axis) {
  if (!axis.known()) return -1;
  const std::array<bool, kMaxRank> reduced = Reduced(axis, shape.rank());
  double count = 1;
  for (int i = 0; i < shape.rank(); ++i) {
    if (!reduced[i]) continue;
    if (!shape[i].known()) return -1;
    count *= static_cast<double>(shape[i].value());
  }
  return count;
}

// The gradient of mean over `axis` (empty: all): repeated along it, divided by
// the number of elements. Differentiable again.
inline void MeanGrad(Ops& ops, const Value& x, const Value& out_grad,
                     AttrArg<IntArray> axis, bool keepdim, Value* x_grad) {
  if (x_grad == nullptr) return;
  const double count = KnownCount(ops.shape(x), axis);
  if (count >= 0) {
    // An empty mean has no elements to give a gradient to.
    const Value kept = KeepReducedAxes(ops, x, out_grad, axis.value(), keepdim);
    const Value share = Times(ops, kept, count > 0 ? 1.0 / count : 0.0);
    *x_grad = op::expand_as(ops, share, x);
    return;
  }
  const DataType dtype = ops.dtype(out_grad);
  // Halves can't count far.
  const bool half = dtype == DataType::kFloat16 || dtype == DataType::kBFloat16;
  const Value wide =
      half ? op::cast(ops, out_grad, DataType::kFloat32) : out_grad;
  const Value counts = CountReduced(ops, x, axis, ops.dtype(wide));
  const Value kept = keepdim ? wide : op::reshape_grad(ops, counts, wide);
  const Value share = op::expand_as(ops, op::divide(ops, kept, counts), x);
  *x_grad = half ? op::cast(ops, share, dtype) : share;
}

// Gradient of max and min: each element that equals the result gets its
// gradient whole, as in Paddle. Differentiable again in out_grad: the choice is
// piecewise constant.
inline void ExtremeGrad(Ops& ops, const Value& x, const Value& out,
                        const Value& out_grad, AttrArg<IntArray> axis,
                        bool keepdim, Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value extreme = AlongReducedAxes(ops, x, out, axis, keepdim);
  const Value grad = AlongReducedAxes(ops, x, out_grad, axis, keepdim);
  const Value chosen =
      op::cast(ops, op::equal(ops, x, extreme), ops.dtype(out_grad));
  *x_grad = op::multiply(ops, chosen, grad);
}

// For each element the product of the others along one axis.
class OtherElements {
 public:
  OtherElements(Ops& ops, int rank, int axis)
      : ops_(ops), rank_(rank), axis_(axis) {}

  // Returns the products for v, which has `count` elements along the axis.
  // Element i and its partner, half the axis on, have the products of the other
  // pairs in common; the last one has a 1 for partner where count is odd.
  Value Product(const Value& v, int64_t count) {
    if (count == 0) return v;
    if (count == 1) return FullLike(ops_, v, 1);
    const int64_t half = (count + 1) / 2, rest = count - half;
    const Value first = Part(v, 0, half);
    const Value second = AmongOnes(Part(v, half, count), 0, half - rest);
    const Value others = Product(op::multiply(ops_, first, second), half);
    const Value of_first =
        AmongOnes(op::multiply(ops_, others, second), 0, rest);
    const Value of_second = Part(op::multiply(ops_, others, first), 0, rest);
    return op::multiply(ops_, of_first, AmongOnes(of_second, half, 0));
  }

 private:
  Value Part(const Value& v, int64_t begin, int64_t end) {
    const int64_t axes[] = {axis_}, begins[] = {begin}, ends[] = {end};
    return op::slice(ops_, v, axes, begins, ends);
  }
  Value AmongOnes(const Value& v, int64_t before, int64_t after) {
    if (before == 0 && after == 0) return v;
    std::vector<int64_t> paddings(2 * rank_, 0);
    paddings[2 * axis_] = before;
    paddings[2 * axis_ + 1] = after;
    return op::pad(ops_, v, paddings, Scalar(1.0));
  }

  Ops& ops_;
  int rank_;
  int axis_;
};

// The gradient of prod: g times the product of the other elements. That product
// is made without a division, so it is right where elements are 0 too, and
// differentiable again there.
inline void ProdGrad(Ops& ops, const Value& x, const Value& out_grad,
                     absl::Span<const int64_t> axis, bool keepdim,
                     Value* x_grad) {
  if (x_grad == nullptr) return;
  const Shape shape = ops.shape(x);
  const std::array<bool, kMaxRank> reduced = Reduced(axis, shape.rank());
  const DataType dtype = ops.dtype(x);
  // Halves are multiplied in float32, as by prod itself.
  const bool half = dtype == DataType::kFloat16 || dtype == DataType::kBFloat16;
  Value grad = KeepReducedAxes(ops, x, out_grad, axis, keepdim);
  if (half) grad = op::cast(ops, grad, DataType::kFloat32);
  // The product over the axes so far; the others are those of the same place
  // on these axes, and all that have another place there.
  Value product = half ? op::cast(ops, x, DataType::kFloat32) : x;
  for (int i = 0; i < shape.rank(); ++i) {
    if (!reduced[i]) continue;
    if (!shape[i].known()) return ops.Fail(UnknownShapeError("reduced axis"));
    OtherElements others(ops, shape.rank(), i);
    grad = op::multiply(ops, others.Product(product, shape[i].value()), grad);
    const int64_t axes[] = {i};
    product = op::prod(ops, product, axes, true);
  }
  *x_grad = half ? op::cast(ops, grad, dtype) : grad;
}

// The gradient of summing x down to a smaller shape: repeat it. Differentiable
// again.
inline void ReduceAsGrad(Ops& ops, const Value& x, const Value& out_grad,
                         Value* x_grad) {
  if (x_grad != nullptr) *x_grad = op::expand_as(ops, out_grad, x);
}

// Gradient of cumsum: the running sum of out_grad from the other end.
// Differentiable again.
inline void CumsumGrad(Ops& ops, const Value& x, const Value& out_grad,
                       AttrArg<int> axis, bool flatten, bool exclusive,
                       bool reverse, Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value sums = op::cumsum(ops, out_grad, flatten ? AttrArg<int>(0) : axis,
                                false, exclusive, !reverse);
  *x_grad = flatten ? ReshapeLike(ops, sums, x, "x") : sums;
}

// Gradient of topk and argsort: each gradient goes back to the position that
// its element came from. Differentiable again.
inline void OrderGrad(Ops& ops, const Value& x, const Value& indices,
                      const Value& out_grad, int axis, Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value zeros = FullLike(ops, x, 0);
  *x_grad = op::put_along_axis(ops, zeros, indices, out_grad, axis, "assign");
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_REDUCTION_H_
