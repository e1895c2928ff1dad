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
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"
#include "phi/composite/reduced_shape.h"
#include "phi/composite/widening.h"

namespace switchyard::phi::composite {

// The axes of a norm; none are all of them.
template <typename Ops>
std::vector<int64_t> NormAxes(Ops& ops, const Shape& shape, int axis,
                              bool asvector) {
  if (asvector) return {};
  const auto normal = NormalizeAxis("axis", axis, shape.rank());
  if (!normal.ok()) ops.Fail(normal.status());
  return {*normal};
}

// The norm of order porder along an axis; of halves in float32.
template <typename Ops, typename V = typename Ops::Value>
void PNorm(Ops& ops, const V& given, double porder, int axis, double epsilon,
           bool keepdim, bool asvector, V* out) {
  (void)epsilon;
  if (out == nullptr) return;
  const V x = Widened(ops, given);
  const std::vector<int64_t> axes = NormAxes(ops, ops.shape(x), axis, asvector);
  const auto total = [&](const V& v) {
    return ops.sum(v, axes, DataType::kUndefined, keepdim);
  };
  if (porder == 0) {
    const V zero = FullLike(ops, x, 0);
    *out = total(ops.cast(ops.not_equal(x, zero), RealOf(ops.dtype(x))));
  } else if (std::isinf(porder)) {
    const V magnitude = ops.abs(x);
    *out = porder > 0 ? ops.max(magnitude, axes, keepdim)
                      : ops.min(magnitude, axes, keepdim);
  } else if (porder == 1) {
    *out = total(ops.abs(x));
  } else if (porder == 2) {
    const V real = IsComplex(ops.dtype(x)) ? ops.abs(x) : x;
    *out = ops.sqrt(total(ops.square(real)));
  } else {
    const V powers = ops.pow(ops.abs(x), Scalar(porder));
    *out = ops.pow(total(powers), Scalar(1.0 / porder));
  }
  if (!IsComplex(ops.dtype(x))) *out = Narrowed(ops, *out, ops.dtype(given));
}

// The gradient of p_norm: sign(x) (abs(x) / (out + epsilon))^(porder - 1); of
// the largest or smallest magnitude, every element that has it takes the whole.
// 0 where the norm is, and of orders below 1 where the element is: there is
// none, and it must not spoil the others.
template <typename Ops, typename V = typename Ops::Value>
void PNormGrad(Ops& ops, const V& x, const V& out, const V& out_grad,
               double porder, int axis, double epsilon, bool keepdim,
               bool asvector, V* x_grad) {
  if (x_grad == nullptr) return;
  const DataType dtype = ops.dtype(x);
  if (IsComplex(dtype)) {  // The norm is that of the magnitudes.
    V of_magnitude;
    PNormGrad(ops, ops.abs(x), out, out_grad, porder, axis, epsilon, keepdim,
              asvector, &of_magnitude);
    *x_grad = ops.abs_grad(x, of_magnitude);
    return;
  }
  const V wide = Widened(ops, x);
  if (ops.dtype(wide) != dtype) {
    V of_wide;
    PNormGrad(ops, wide, Widened(ops, out), Widened(ops, out_grad), porder,
              axis, epsilon, keepdim, asvector, &of_wide);
    *x_grad = ops.cast(of_wide, dtype);
    return;
  }
  const std::vector<int64_t> axes = NormAxes(ops, ops.shape(x), axis, asvector);
  const V grad = KeepReducedAxes(ops, x, out_grad, axes, keepdim);
  if (porder == 0) {
    *x_grad = FullLike(ops, x, 0);
    return;
  }
  if (porder == 1) {
    *x_grad = ops.multiply(ops.sign(x), grad);
    return;
  }
  const V norm = KeepReducedAxes(ops, x, out, axes, keepdim);
  if (std::isinf(porder)) {
    const V takes = ops.cast(ops.equal(ops.abs(x), norm), ops.dtype(x));
    *x_grad = ops.multiply(ops.multiply(ops.sign(x), takes), grad);
    return;
  }
  const V none = ops.equal(norm, FullLike(ops, norm, 0));
  const auto held_at = [&](const V& zero, const V& v, double value) {
    return ops.where(zero, FullLike(ops, v, value), v);
  };
  // Not so small that the quotients below are infinite.
  const double least = ops.dtype(x) == DataType::kFloat32
                           ? double{std::numeric_limits<float>::min()}
                           : std::numeric_limits<double>::min();
  const V held =
      ops.maximum(Linear(ops, norm, 1, epsilon), FullLike(ops, norm, least));
  const V counted = held_at(none, grad, 0);
  if (porder == 2) {
    *x_grad = ops.multiply(x, ops.divide(counted, held));
    return;
  }
  V magnitude = ops.abs(x);
  if (porder < 1) {
    magnitude = held_at(ops.equal(x, FullLike(ops, x, 0)), magnitude, 1);
  }
  const V slope = ops.pow(ops.divide(magnitude, held), Scalar(porder - 1));
  *x_grad = ops.multiply(ops.multiply(ops.sign(x), slope), counted);
}

// x divided by its norm along an axis.
template <typename Ops, typename V = typename Ops::Value>
void L2Normalize(Ops& ops, const V& x, int axis, double epsilon, bool is_test,
                 V* out, V* norm) {
  (void)is_test;
  const auto normal = NormalizeAxis("axis", axis, ops.shape(x).rank());
  if (!normal.ok()) return ops.Fail(normal.status());
  const DataType dtype = ops.dtype(x);
  const V wide = Widened(ops, x);
  const V squares =
      ops.sum(ops.square(wide), {int64_t{*normal}}, DataType::kUndefined, true);
  const V length = ops.sqrt(Linear(ops, squares, 1, epsilon));
  if (norm != nullptr) *norm = Narrowed(ops, length, dtype);
  if (out != nullptr) *out = Narrowed(ops, ops.divide(wide, length), dtype);
}

// v as a list of one direction, divided by its length plus eps. Part of
// spectral_norm, as are the next three; not an operator's composite itself.
template <typename Ops, typename V>
V UnitVector(Ops& ops, const V& v, double eps) {
  const V length =
      ops.sqrt(ops.sum(ops.square(v), {}, DataType::kUndefined, true));
  return ops.divide(v, Linear(ops, length, 1, eps));
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
template <typename V>
struct SpectralParts {
  V matrix;
  V left;
  V right;
  V sigma;
};

// The weight as a matrix whose rows are its slices along `dim`, and its parts.
// InferMeta has checked the arguments. Fails where the shape is not known.
template <typename Ops, typename V>
bool FindSpectralParts(Ops& ops, const V& weight, const V& u, const V& v,
                       int dim, int power_iters, double eps,
                       SpectralParts<V>* parts) {
  const Shape shape = ops.shape(weight);
  if (!shape.known()) {
    ops.Fail(ArgumentError("weight", "of a known shape", ToString(shape)));
    return false;
  }
  const int64_t rows = shape.extent(dim);
  const int64_t columns =
      shape.numel(0, dim) * shape.numel(dim + 1, shape.rank());
  const V front =
      dim == 0 ? weight : ops.transpose(weight, FrontFirst(shape.rank(), dim));
  parts->matrix = ReshapeTo(ops, front, {rows, columns});
  V left = ReshapeTo(ops, u, {rows, int64_t{1}});
  V right;
  if (power_iters == 0) right = ReshapeTo(ops, v, {columns, int64_t{1}});
  for (int i = 0; i < power_iters; ++i) {
    right = UnitVector(ops, ops.matmul(parts->matrix, left, true, false), eps);
    left = UnitVector(ops, ops.matmul(parts->matrix, right, false, false), eps);
  }
  parts->left = left;
  parts->right = right;
  parts->sigma = ops.matmul(
      left, ops.matmul(parts->matrix, right, false, false), true, false);
  return true;
}

// The weight divided by the largest singular value of its matrix.
template <typename Ops, typename V = typename Ops::Value>
void SpectralNorm(Ops& ops, const V& weight, const V& u, const V& v, int dim,
                  int power_iters, double eps, V* out) {
  if (out == nullptr) return;
  const int axis = dim < 0 ? dim + ops.shape(weight).rank() : dim;
  SpectralParts<V> parts;
  if (!FindSpectralParts(ops, weight, u, v, axis, power_iters, eps, &parts)) {
    return;
  }
  *out = ops.divide(weight, ops.reshape(parts.sigma, {int64_t{1}}));
}

// The gradient of spectral_norm as PaddlePaddle 2 and 3 have it, which is the
// derivative only for an out_grad of equal elements: its inner product with the
// result is taken for the result's sum times each element.
template <typename Ops, typename V = typename Ops::Value>
void SpectralNormGrad(Ops& ops, const V& weight, const V& u, const V& v,
                      const V& out_grad, int dim, int power_iters, double eps,
                      V* weight_grad) {
  if (weight_grad == nullptr) return;
  const Shape shape = ops.shape(weight);
  const int axis = dim < 0 ? dim + shape.rank() : dim;
  SpectralParts<V> parts;
  if (!FindSpectralParts(ops, weight, u, v, axis, power_iters, eps, &parts)) {
    return;
  }
  const V sum = ops.sum(ops.divide(parts.matrix, parts.sigma), {},
                        DataType::kUndefined, true);
  const V outer = ops.matmul(parts.left, parts.right, false, true);
  const V rest = Linear(ops, ops.multiply(outer, sum), -1, 1);
  V factor = ops.divide(rest, parts.sigma);
  // As the weight lies, its axis `dim` in its place again.
  const std::vector<int> order = FrontFirst(shape.rank(), axis);
  std::vector<int64_t> extents;
  std::vector<int> back(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    extents.push_back(shape.extent(order[i]));
    back[static_cast<size_t>(order[i])] = static_cast<int>(i);
  }
  factor = ReshapeTo(ops, factor, extents);
  if (axis != 0) factor = ops.transpose(factor, back);
  *weight_grad = ops.multiply(out_grad, factor);
}

// x with the slices along an axis scaled down to a norm. Slices that stay take
// no part in the roots, of which that of 0 has no gradient.
template <typename Ops, typename V = typename Ops::Value>
void Renorm(Ops& ops, const V& x, double p, int axis, double max_norm, V* out) {
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
  const V wide = Widened(ops, x);
  V total = ops.pow(ops.abs(wide), Scalar(p));
  std::vector<int64_t> axes;
  for (int i = 0; i < rank; ++i) {
    if (i != *normal) axes.push_back(i);
  }
  if (!axes.empty()) {
    total = ops.sum(total, axes, DataType::kUndefined, /*keepdim=*/true);
  }
  const auto all = [&](double value) { return FullLike(ops, total, value); };
  const V large = ops.greater_than(total, all(std::pow(max_norm, p)));
  const V root = ops.pow(ops.where(large, total, all(1.0)), Scalar(-1.0 / p));
  const V less = Times(ops, root, max_norm);
  const V scaled = ops.multiply(wide, ops.where(large, less, all(1.0)));
  *out = Narrowed(ops, scaled, ops.dtype(x));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_NORM_H_
