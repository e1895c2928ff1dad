// SPDX-License-Identifier: Apache-2.0
// Norms, and what is divided by one, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_NORM_H_
#define SWITCHYARD_PHI_COMPOSITE_NORM_H_

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/extents.h"
#include "phi/composite/reduced_shape.h"

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

// The norm of order porder along an axis.
template <typename Ops, typename V = typename Ops::Value>
void PNorm(Ops& ops, const V& x, float porder, int axis, float epsilon,
           bool keepdim, bool asvector, V* out) {
  (void)epsilon;
  if (out == nullptr) return;
  const std::vector<int64_t> axes = NormAxes(ops, ops.shape(x), axis, asvector);
  const auto total = [&](const V& v) {
    return ops.sum(v, axes, DataType::kUndefined, keepdim);
  };
  if (porder == 0) {
    const V zero = ops.full_like(x, Scalar(0.0), DataType::kUndefined);
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
    const V powers = ops.pow(ops.abs(x), Scalar(double{porder}));
    *out = ops.pow(total(powers), Scalar(1.0 / double{porder}));
  }
}

// The gradient of p_norm: sign(x) abs(x)^(porder - 1) / (out + epsilon)^(porder
// - 1); of the largest or smallest magnitude, every element that has it takes
// the whole.
template <typename Ops, typename V = typename Ops::Value>
void PNormGrad(Ops& ops, const V& x, const V& out, const V& out_grad,
               float porder, int axis, float epsilon, bool keepdim,
               bool asvector, V* x_grad) {
  if (x_grad == nullptr) return;
  if (IsComplex(ops.dtype(x))) {  // The norm is that of the magnitudes.
    V of_magnitude;
    PNormGrad(ops, ops.abs(x), out, out_grad, porder, axis, epsilon, keepdim,
              asvector, &of_magnitude);
    *x_grad = ops.abs_grad(x, of_magnitude);
    return;
  }
  const std::vector<int64_t> axes = NormAxes(ops, ops.shape(x), axis, asvector);
  const V grad = KeepReducedAxes(ops, x, out_grad, axes, keepdim);
  if (porder == 0) {
    *x_grad = ops.full_like(x, Scalar(0.0), DataType::kUndefined);
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
  const V held = ops.scale(norm, Scalar(1.0), Scalar(double{epsilon}), true);
  if (porder == 2) {
    *x_grad = ops.multiply(x, ops.divide(grad, held));
    return;
  }
  const double power = double{porder} - 1;
  const V slope = ops.multiply(ops.sign(x), ops.pow(ops.abs(x), Scalar(power)));
  *x_grad =
      ops.multiply(slope, ops.multiply(grad, ops.pow(held, Scalar(-power))));
}

// x divided by its norm along an axis.
template <typename Ops, typename V = typename Ops::Value>
void L2Normalize(Ops& ops, const V& x, int axis, float epsilon, bool is_test,
                 V* out, V* norm) {
  (void)is_test;
  const auto normal = NormalizeAxis("axis", axis, ops.shape(x).rank());
  if (!normal.ok()) return ops.Fail(normal.status());
  const V squares =
      ops.sum(ops.square(x), {int64_t{*normal}}, DataType::kUndefined, true);
  const V length =
      ops.sqrt(ops.scale(squares, Scalar(1.0), Scalar(double{epsilon}), true));
  if (norm != nullptr) *norm = length;
  if (out != nullptr) *out = ops.divide(x, length);
}

// Parts of spectral_norm, not operators' composites themselves.
// v without its gradient: rounding to more places than a dtype has leaves a
// number as it is, and has a gradient of 0.
template <typename Ops, typename V>
V Constant(Ops& ops, const V& v) {
  constexpr int kMorePlaces = 400;
  return ops.round(v, kMorePlaces);
}

// v as a list of one direction, divided by its length plus eps.
template <typename Ops, typename V>
V UnitVector(Ops& ops, const V& v, float eps) {
  const V length =
      ops.sqrt(ops.sum(ops.square(v), {}, DataType::kUndefined, true));
  return ops.divide(v,
                    ops.scale(length, Scalar(1.0), Scalar(double{eps}), true));
}

// The weight as a matrix whose rows are its slices along `dim`.
template <typename Ops, typename V>
V RowsAlong(Ops& ops, const V& weight, int dim) {
  const Shape shape = ops.shape(weight);
  std::vector<int> order = {dim};
  int64_t columns = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (axis == dim) continue;
    order.push_back(axis);
    columns *= shape[axis].value();
  }
  const V front = dim == 0 ? weight : ops.transpose(weight, order);
  return ReshapeTo(ops, front, {shape[dim].value(), columns});
}

// The weight divided by the largest singular value of its matrix.
template <typename Ops, typename V = typename Ops::Value>
void SpectralNorm(Ops& ops, const V& weight, const V& u, const V& v, int dim,
                  int power_iters, float eps, V* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(weight);
  if (!shape.known() || shape.rank() < 2) {
    return ops.Fail(ArgumentError(
        "weight", "of a known shape of rank 2 at least", ToString(shape)));
  }
  const auto axis = NormalizeAxis("dim", dim, shape.rank());
  if (!axis.ok()) return ops.Fail(axis.status());
  constexpr int kMostSteps = 1000;
  if (power_iters < 0 || power_iters > kMostSteps) {
    return ops.Fail(ArgumentError("power_iters", "in [0, 1000]",
                                  std::to_string(power_iters)));
  }
  const V matrix = RowsAlong(ops, weight, *axis);
  const Shape sides = ops.shape(matrix);
  const auto check = [&](const char* argument, const V& given, Dim extent) {
    if (MayEqual(ops.shape(given), Shape({extent}))) return;
    ops.Fail(ArgumentError(argument, "of shape " + ToString(Shape({extent})),
                           ToString(ops.shape(given))));
  };
  check("u", u, sides[0]);
  check("v", v, sides[1]);
  V left = ops.reshape(u, {sides[0].value(), int64_t{1}}), right;
  if (power_iters == 0) {
    right = ops.reshape(v, {sides[1].value(), int64_t{1}});
  }
  for (int i = 0; i < power_iters; ++i) {
    right = UnitVector(ops, ops.matmul(matrix, left, true, false), eps);
    left = UnitVector(ops, ops.matmul(matrix, right, false, false), eps);
  }
  left = Constant(ops, left);
  right = Constant(ops, right);
  const V sigma =
      ops.matmul(left, ops.matmul(matrix, right, false, false), true, false);
  *out = ops.divide(weight, ops.reshape(sigma, {int64_t{1}}));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_NORM_H_
