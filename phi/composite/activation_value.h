// SPDX-License-Identifier: Apache-2.0
// Activation functions that have kernels, made of operators: what they are
// where a policy or a device has none of these. Their gradients are in
// activation.h and nonlinearity.h.
#ifndef SWITCHYARD_PHI_COMPOSITE_ACTIVATION_VALUE_H_
#define SWITCHYARD_PHI_COMPOSITE_ACTIVATION_VALUE_H_

#include <cstdint>
#include <vector>

#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_activation_value.h"
#include "phi/composite/elements.h"
#include "phi/composite/ops.h"
#include "phi/composite/widening.h"

namespace switchyard::phi::composite {

// Parts of the composites below, not operators' composites themselves.
namespace activation_value {

// v where it is above `least`: at -infinity a factor that is 0 there would make
// NaN of v.
inline Value AtLeast(Ops& ops, const Value& v, double least) {
  return op::maximum(ops, v, FullLike(ops, v, least));
}

// 1 + exp(-v).
inline Value OnePlusExp(Ops& ops, const Value& v) {
  return Linear(ops, op::exp(ops, Times(ops, v, -1)), 1, 1);
}

// log(1 + exp(v)), which neither overflows nor underflows.
inline Value LogOnePlusExp(Ops& ops, const Value& v) {
  const Value away = Times(ops, op::abs(ops, v), -1);
  return op::add(ops, AtLeast(ops, v, 0), op::log1p(ops, op::exp(ops, away)));
}

// v less its largest element along `axes`.
inline Value BelowLargest(Ops& ops, const Value& v,
                          const std::vector<int64_t>& axes) {
  return op::subtract(ops, v, op::max(ops, v, axes, true));
}

inline Value Total(Ops& ops, const Value& v, const std::vector<int64_t>& axes) {
  return op::sum(ops, v, axes, DataType::kUndefined, true);
}

// The axis of softmax as a list: none of a scalar.
inline std::vector<int64_t> AxesOf(const Shape& shape, int axis) {
  if (shape.rank() == 0) return {};
  return {axis};
}

inline bool IsEmptyAlong(const Shape& shape, int axis) {
  if (shape.rank() == 0) return false;
  return shape[axis < 0 ? axis + shape.rank() : axis] == Dim(0);
}

}  // namespace activation_value

inline void LeakyRelu(Ops& ops, const Value& x, double negative_slope,
                      Value* out) {
  if (out == nullptr) return;
  const Value wide = Widened(ops, x);
  const Value above = op::greater_than(ops, wide, FullLike(ops, wide, 0));
  const Value value =
      op::where(ops, above, wide, Times(ops, wide, negative_slope));
  *out = Narrowed(ops, value, ops.dtype(x));
}

inline void Relu6(Ops& ops, const Value& x, Value* out) {
  if (out == nullptr) return;
  *out = op::clip(ops, x, Scalar(0.0), Scalar(6.0));
}

// 1 / (1 + exp(-x)).
inline void Sigmoid(Ops& ops, const Value& x, Value* out) {
  if (out == nullptr) return;
  const Value sum = activation_value::OnePlusExp(ops, Widened(ops, x));
  *out =
      Narrowed(ops, op::divide(ops, FullLike(ops, sum, 1), sum), ops.dtype(x));
}

// x / (1 + exp(-x)); -0 at -infinity.
inline void Silu(Ops& ops, const Value& x, Value* out) {
  if (out == nullptr) return;
  Value wide = Widened(ops, x);
  if (!IsComplex(ops.dtype(x))) {
    wide = activation_value::AtLeast(ops, wide, -1000);
  }
  const Value value =
      op::divide(ops, wide, activation_value::OnePlusExp(ops, wide));
  *out = Narrowed(ops, value, ops.dtype(x));
}

// x min(max(x + 3, 0), 6) / 6; -0 at -infinity.
inline void Hardswish(Ops& ops, const Value& x, Value* out) {
  if (out == nullptr) return;
  const Value wide = activation_value::AtLeast(ops, Widened(ops, x), -3);
  const Value gate =
      op::clip(ops, Linear(ops, wide, 1, 3), Scalar(0.0), Scalar(6.0));
  // The product of all may overflow before it is divided.
  const Value value = op::multiply(ops, wide, Times(ops, gate, 1.0 / 6));
  *out = Narrowed(ops, value, ops.dtype(x));
}

inline void Hardsigmoid(Ops& ops, const Value& x, double slope, double offset,
                        Value* out) {
  if (out == nullptr) return;
  const Value line = Linear(ops, Widened(ops, x), slope, offset);
  *out = Narrowed(ops, op::clip(ops, line, Scalar(0.0), Scalar(1.0)),
                  ops.dtype(x));
}

// log(1 + exp(beta x)) / beta, x where beta x is above the threshold.
inline void Softplus(Ops& ops, const Value& x, double beta, double threshold,
                     Value* out) {
  if (out == nullptr) return;
  const Value wide = Widened(ops, x);
  const Value scaled = Times(ops, wide, beta);
  const Value smooth =
      Times(ops, activation_value::LogOnePlusExp(ops, scaled), 1 / beta);
  const Value above =
      op::greater_than(ops, scaled, FullLike(ops, scaled, threshold));
  *out = Narrowed(ops, op::where(ops, above, wide, smooth), ops.dtype(x));
}

// x Phi(x), with erf; or x / (1 + exp(-2 u)), which is x (1 + tanh u) / 2, with
// u = sqrt(2 / pi) (x + 0.044715 x^3). -0 at -infinity. 1 + erf cancels far
// below 0: the absolute error there is that of |x| / 2.
inline void Gelu(Ops& ops, const Value& x, bool approximate, Value* out) {
  if (out == nullptr) return;
  const Value z = activation_value::AtLeast(ops, Widened(ops, x), -100);
  Value value;
  if (approximate) {
    constexpr double kRoot = 0.79788456080286535588;
    const Value slope =
        Linear(ops, op::square(ops, z), 2 * 0.044715 * kRoot, 2 * kRoot);
    value = op::divide(
        ops, z, activation_value::OnePlusExp(ops, op::multiply(ops, z, slope)));
  } else {
    const Value half = Times(ops, z, 0.5);
    const Value share = op::erf(ops, Times(ops, z, 0.70710678118654752440));
    value = op::multiply(ops, half, Linear(ops, share, 1, 1));
  }
  *out = Narrowed(ops, value, ops.dtype(x));
}

// exp(x - max(x)) / sum(exp(x - max(x))) along `axis`.
inline void Softmax(Ops& ops, const Value& x, int axis, Value* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(x);
  if (activation_value::IsEmptyAlong(shape, axis)) {
    *out = FullLike(ops, x, 0);  // There is no largest of no elements.
    return;
  }
  const std::vector<int64_t> axes = activation_value::AxesOf(shape, axis);
  const Value powers =
      op::exp(ops, activation_value::BelowLargest(ops, Widened(ops, x), axes));
  const Value shares =
      op::divide(ops, powers, activation_value::Total(ops, powers, axes));
  *out = Narrowed(ops, shares, ops.dtype(x));
}

// x - max(x) - log(sum(exp(x - max(x)))) along `axis`.
inline void LogSoftmax(Ops& ops, const Value& x, int axis, Value* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(x);
  if (activation_value::IsEmptyAlong(shape, axis)) {
    *out = FullLike(ops, x, 0);
    return;
  }
  const std::vector<int64_t> axes = activation_value::AxesOf(shape, axis);
  const Value below =
      activation_value::BelowLargest(ops, Widened(ops, x), axes);
  const Value total = activation_value::Total(ops, op::exp(ops, below), axes);
  *out = Narrowed(ops, op::subtract(ops, below, op::log(ops, total)),
                  ops.dtype(x));
}

// x where x > 0, else alpha (exp(x) - 1).
inline void Elu(Ops& ops, const Value& x, double alpha, Value* out) {
  if (out == nullptr) return;
  const Value wide = Widened(ops, x), zero = FullLike(ops, wide, 0);
  const Value below = op::expm1(ops, op::minimum(ops, wide, zero));
  const Value value = op::where(ops, op::greater_than(ops, wide, zero), wide,
                                Times(ops, below, alpha));
  *out = Narrowed(ops, value, ops.dtype(x));
}

// x where x > 0, else alpha (exp(x / alpha) - 1).
inline void Celu(Ops& ops, const Value& x, double alpha, Value* out) {
  if (out == nullptr) return;
  const Value wide = Widened(ops, x), zero = FullLike(ops, wide, 0);
  const Value scaled = Times(ops, op::minimum(ops, wide, zero), 1 / alpha);
  const Value value = op::where(ops, op::greater_than(ops, wide, zero), wide,
                                Times(ops, op::expm1(ops, scaled), alpha));
  *out = Narrowed(ops, value, ops.dtype(x));
}

// x tanh(softplus(x)); -0 at -infinity.
inline void Mish(Ops& ops, const Value& x, double threshold, Value* out) {
  if (out == nullptr) return;
  const Value wide = activation_value::AtLeast(ops, Widened(ops, x), -1000);
  const Value smooth = activation_value::LogOnePlusExp(ops, wide);
  const Value above =
      op::greater_than(ops, wide, FullLike(ops, wide, threshold));
  const Value inner = op::where(ops, above, wide, smooth);
  *out = Narrowed(ops, op::multiply(ops, wide, op::tanh(ops, inner)),
                  ops.dtype(x));
}

// -log(1 + exp(-x)).
inline void LogSigmoid(Ops& ops, const Value& x, Value* out) {
  if (out == nullptr) return;
  const Value minus = Times(ops, Widened(ops, x), -1);
  const Value log = IsComplex(ops.dtype(x))
                        ? op::log(ops, Linear(ops, op::exp(ops, minus), 1, 1))
                        : activation_value::LogOnePlusExp(ops, minus);
  *out = Narrowed(ops, Times(ops, log, -1), ops.dtype(x));
}

inline void Rsqrt(Ops& ops, const Value& x, Value* out) {
  if (out == nullptr) return;
  const Value root = op::sqrt(ops, Widened(ops, x));
  *out = Narrowed(ops, op::divide(ops, FullLike(ops, root, 1), root),
                  ops.dtype(x));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_ACTIVATION_VALUE_H_
