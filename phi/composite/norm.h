// SPDX-License-Identifier: Apache-2.0
// Norms, and what is divided by one, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_NORM_H_
#define SWITCHYARD_PHI_COMPOSITE_NORM_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_norm.h"
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"
#include "phi/composite/ops.h"
#include "phi/composite/reduced_shape.h"
#include "phi/composite/row_scale.h"
#include "phi/composite/widening.h"

namespace switchyard::phi::composite {

// The axes of a norm; none are all of them.
inline std::vector<int64_t> NormAxes(Ops& ops, const Shape& shape, int axis,
                                     bool asvector) {
  if (asvector) return {};
  const auto normal = NormalizeAxis("axis", axis, shape.rank());
  if (!normal.ok()) ops.Fail(normal.status());
  return {*normal};
}

// The norm of order porder along an axis; of halves in float32.
inline void PNorm(Ops& ops, const Value& given, double porder, int axis,
                  double epsilon, bool keepdim, bool asvector, Value* out) {
  (void)epsilon;
  if (out == nullptr) return;
  const Value x = Widened(ops, given);
  const std::vector<int64_t> axes = NormAxes(ops, ops.shape(x), axis, asvector);
  const auto total = [&](const Value& v) {
    return op::sum(ops, v, axes, DataType::kUndefined, keepdim);
  };
  if (porder == 0) {
    const Value zero = FullLike(ops, x, 0);
    *out =
        total(op::cast(ops, op::not_equal(ops, x, zero), RealOf(ops.dtype(x))));
  } else if (std::isinf(porder)) {
    const Value magnitude = op::abs(ops, x);
    *out = porder > 0 ? op::max(ops, magnitude, axes, keepdim)
                      : op::min(ops, magnitude, axes, keepdim);
  } else if (porder == 1) {
    *out = total(op::abs(ops, x));
  } else if (porder == 2) {
    const Value real = IsComplex(ops.dtype(x)) ? op::abs(ops, x) : x;
    *out = op::sqrt(ops, total(op::square(ops, real)));
  } else {
    const Value powers = op::pow(ops, op::abs(ops, x), Scalar(porder));
    *out = op::pow(ops, total(powers), Scalar(1.0 / porder));
  }
  if (!IsComplex(ops.dtype(x))) *out = Narrowed(ops, *out, ops.dtype(given));
}

// The gradient of p_norm: sign(x) (abs(x) / (out + epsilon))^(porder - 1); of
// the largest or smallest magnitude, every element that has it takes the whole.
// 0 where the norm is, and of orders below 1 where the element is: there is
// none, and it must not spoil the others.
inline void PNormGrad(Ops& ops, const Value& x, const Value& out,
                      const Value& out_grad, double porder, int axis,
                      double epsilon, bool keepdim, bool asvector,
                      Value* x_grad) {
  if (x_grad == nullptr) return;
  const DataType dtype = ops.dtype(x);
  if (IsComplex(dtype)) {  // The norm is that of the magnitudes.
    Value of_magnitude;
    PNormGrad(ops, op::abs(ops, x), out, out_grad, porder, axis, epsilon,
              keepdim, asvector, &of_magnitude);
    *x_grad = op::abs_grad(ops, x, of_magnitude);
    return;
  }
  const Value wide = Widened(ops, x);
  if (ops.dtype(wide) != dtype) {
    Value of_wide;
    PNormGrad(ops, wide, Widened(ops, out), Widened(ops, out_grad), porder,
              axis, epsilon, keepdim, asvector, &of_wide);
    *x_grad = op::cast(ops, of_wide, dtype);
    return;
  }
  const std::vector<int64_t> axes = NormAxes(ops, ops.shape(x), axis, asvector);
  const Value grad = KeepReducedAxes(ops, x, out_grad, axes, keepdim);
  if (porder == 0) {
    *x_grad = FullLike(ops, x, 0);
    return;
  }
  if (porder == 1) {
    *x_grad = op::multiply(ops, op::sign(ops, x), grad);
    return;
  }
  const Value norm = KeepReducedAxes(ops, x, out, axes, keepdim);
  if (std::isinf(porder)) {
    const Value takes =
        op::cast(ops, op::equal(ops, op::abs(ops, x), norm), ops.dtype(x));
    *x_grad =
        op::multiply(ops, op::multiply(ops, op::sign(ops, x), takes), grad);
    return;
  }
  const Value none = op::equal(ops, norm, FullLike(ops, norm, 0));
  const auto held_at = [&](const Value& zero, const Value& v, double value) {
    return op::where(ops, zero, FullLike(ops, v, value), v);
  };
  // Not so small that the quotients below are infinite.
  const double least = ops.dtype(x) == DataType::kFloat32
                           ? double{std::numeric_limits<float>::min()}
                           : std::numeric_limits<double>::min();
  const Value held = op::maximum(ops, Linear(ops, norm, 1, epsilon),
                                 FullLike(ops, norm, least));
  const Value counted = held_at(none, grad, 0);
  if (porder == 2) {
    *x_grad = op::multiply(ops, x, op::divide(ops, counted, held));
    return;
  }
  Value magnitude = op::abs(ops, x);
  if (porder < 1) {
    magnitude = held_at(op::equal(ops, x, FullLike(ops, x, 0)), magnitude, 1);
  }
  const Value slope =
      op::pow(ops, op::divide(ops, magnitude, held), Scalar(porder - 1));
  *x_grad =
      op::multiply(ops, op::multiply(ops, op::sign(ops, x), slope), counted);
}

// x divided by its norm along an axis.
inline void L2Normalize(Ops& ops, const Value& x, int axis, double epsilon,
                        bool is_test, Value* out, Value* norm) {
  (void)is_test;
  const auto normal = NormalizeAxis("axis", axis, ops.shape(x).rank());
  if (!normal.ok()) return ops.Fail(normal.status());
  const DataType dtype = ops.dtype(x);
  const Value wide = Widened(ops, x);
  const auto squares = [&](const Value& rows) {
    return op::sum(ops, op::square(ops, rows), {int64_t{*normal}},
                   DataType::kUndefined, true);
  };
  const RowScale scale = ScaleOfRows(ops, squares(wide), epsilon);
  const Value rows = op::multiply(ops, wide, scale.factor);
  const Value length =
      op::sqrt(ops, op::add(ops, squares(rows), scale.epsilon));
  if (norm != nullptr) {
    *norm = Narrowed(ops, op::divide(ops, length, scale.factor), dtype);
  }
  if (out != nullptr)
    *out = Narrowed(ops, op::divide(ops, rows, length), dtype);
}

// v as a list of one direction, divided by its length plus eps. Part of
// spectral_norm, as are the next three; not an operator's composite itself.
inline Value UnitVector(Ops& ops, const Value& v, double eps) {
  const Value length = op::sqrt(
      ops, op::sum(ops, op::square(ops, v), {}, DataType::kUndefined, true));
  return op::divide(ops, v, Linear(ops, length, 1, eps));
}

// The order of axes that puts `dim` in front of the others.
inline std::vector<int> FrontFirst(int rank, int dim) {
  std::vector<int> order = {dim};
  for (int axis = 0; axis < rank; ++axis) {
    if (axis != dim) order.push_back(axis);
  }
  return order;
}

// A weight's matrix with what the power method finds of it: singular vectors
// as columns and the singular value, [1, 1].
struct SpectralParts {
  Value matrix;
  Value left;
  Value right;
  Value sigma;
};

// The weight as a matrix whose rows are its slices along `dim`, and its parts.
// InferMeta has checked the arguments. Fails where the shape is not known.
inline bool FindSpectralParts(Ops& ops, const Value& weight, const Value& u,
                              const Value& v, int dim, int power_iters,
                              double eps, SpectralParts* parts) {
  const Shape shape = ops.shape(weight);
  if (!shape.known()) {
    ops.Fail(ArgumentError("weight", "of a known shape", ToString(shape)));
    return false;
  }
  const int64_t rows = shape.extent(dim);
  const int64_t columns =
      shape.numel(0, dim) * shape.numel(dim + 1, shape.rank());
  const Value front =
      dim == 0 ? weight
               : op::transpose(ops, weight, FrontFirst(shape.rank(), dim));
  parts->matrix = ReshapeTo(ops, front, {rows, columns});
  Value left = ReshapeTo(ops, u, {rows, int64_t{1}});
  Value right;
  if (power_iters == 0) right = ReshapeTo(ops, v, {columns, int64_t{1}});
  for (int i = 0; i < power_iters; ++i) {
    right =
        UnitVector(ops, op::matmul(ops, parts->matrix, left, true, false), eps);
    left = UnitVector(ops, op::matmul(ops, parts->matrix, right, false, false),
                      eps);
  }
  parts->left = left;
  parts->right = right;
  parts->sigma =
      op::matmul(ops, left, op::matmul(ops, parts->matrix, right, false, false),
                 true, false);
  return true;
}

// The weight divided by the largest singular value of its matrix.
inline void SpectralNorm(Ops& ops, const Value& weight, const Value& u,
                         const Value& v, int dim, int power_iters, double eps,
                         Value* out) {
  if (out == nullptr) return;
  const int axis = dim < 0 ? dim + ops.shape(weight).rank() : dim;
  SpectralParts parts;
  if (!FindSpectralParts(ops, weight, u, v, axis, power_iters, eps, &parts)) {
    return;
  }
  *out = op::divide(ops, weight, op::reshape(ops, parts.sigma, {int64_t{1}}));
}

// The gradient of spectral_norm as PaddlePaddle 2 and 3 have it, which is the
// derivative only for an out_grad of equal elements: its inner product with the
// result is taken for the result's sum times each element.
inline void SpectralNormGrad(Ops& ops, const Value& weight, const Value& u,
                             const Value& v, const Value& out_grad, int dim,
                             int power_iters, double eps, Value* weight_grad) {
  if (weight_grad == nullptr) return;
  const Shape shape = ops.shape(weight);
  const int axis = dim < 0 ? dim + shape.rank() : dim;
  SpectralParts parts;
  if (!FindSpectralParts(ops, weight, u, v, axis, power_iters, eps, &parts)) {
    return;
  }
  const Value sum = op::sum(ops, op::divide(ops, parts.matrix, parts.sigma), {},
                            DataType::kUndefined, true);
  const Value outer = op::matmul(ops, parts.left, parts.right, false, true);
  const Value rest = Linear(ops, op::multiply(ops, outer, sum), -1, 1);
  Value factor = op::divide(ops, rest, parts.sigma);
  // As the weight lies, its axis `dim` in its place again.
  const std::vector<int> order = FrontFirst(shape.rank(), axis);
  std::vector<int64_t> extents;
  std::vector<int> back(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    extents.push_back(shape.extent(order[i]));
    back[static_cast<size_t>(order[i])] = static_cast<int>(i);
  }
  factor = ReshapeTo(ops, factor, extents);
  if (axis != 0) factor = op::transpose(ops, factor, back);
  *weight_grad = op::multiply(ops, out_grad, factor);
}

// x with the slices along an axis scaled down to a norm. Slices that stay take
// no part in the roots, of which that of 0 has no gradient.
inline void Renorm(Ops& ops, const Value& x, double p, int axis,
                   double max_norm, Value* out) {
  const int rank = ops.shape(x).rank();
  const auto normal = NormalizeAxis("axis", axis, rank);
  if (!normal.ok()) return ops.Fail(normal.status());
  if (!(p > 0) || std::isinf(p)) {
    return ops.Fail(
        ArgumentError("p", "a finite number above 0", std::to_string(p)));
  }
  if (!(max_norm >= 0)) {
    return ops.Fail(
        ArgumentError("max_norm", "0 or more", std::to_string(max_norm)));
  }
  if (out == nullptr) return;
  const Value wide = Widened(ops, x);
  Value total = op::pow(ops, op::abs(ops, wide), Scalar(p));
  std::vector<int64_t> axes;
  for (int i = 0; i < rank; ++i) {
    if (i != *normal) axes.push_back(i);
  }
  if (!axes.empty()) {
    total = op::sum(ops, total, axes, DataType::kUndefined, /*keepdim=*/true);
  }
  const auto all = [&](double value) { return FullLike(ops, total, value); };
  const Value large = op::greater_than(ops, total, all(std::pow(max_norm, p)));
  const Value root =
      op::pow(ops, op::where(ops, large, total, all(1.0)), Scalar(-1.0 / p));
  const Value less = Times(ops, root, max_norm);
  const Value scaled =
      op::multiply(ops, wide, op::where(ops, large, less, all(1.0)));
  *out = Narrowed(ops, scaled, ops.dtype(x));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_NORM_H_
