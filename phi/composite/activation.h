// SPDX-License-Identifier: Apache-2.0
// The gradients of activation functions, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_ACTIVATION_H_
#define SWITCHYARD_PHI_COMPOSITE_ACTIVATION_H_

#include <cstdint>

#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "phi/composite/calls/of_activation.h"
#include "phi/composite/conjugate.h"
#include "phi/composite/elements.h"
#include "phi/composite/ops.h"
#include "phi/composite/widening.h"

namespace switchyard::phi::composite {

// The gradient of relu from its result: sign(out) is 1 where x was positive, 0
// elsewhere. Differentiable again in out_grad (sign has no gradient: relu is
// piecewise linear).
inline void ReluGrad(Ops& ops, const Value& out, const Value& out_grad,
                     Value* x_grad) {
  if (x_grad != nullptr)
    *x_grad = op::multiply(ops, out_grad, op::sign(ops, out));
}

// The gradient of relu6 from its result: g where 0 < out < 6. sign(out) sign(6
// - out) is 1 there and 0 at the ends. Differentiable again in out_grad.
inline void Relu6Grad(Ops& ops, const Value& out, const Value& out_grad,
                      Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value below = Linear(ops, out, -1, 6);
  const Value inside =
      op::multiply(ops, op::sign(ops, out), op::sign(ops, below));
  *x_grad = op::multiply(ops, out_grad, inside);
}

// The gradient of leaky_relu: g where x > 0, else g times the slope.
// Differentiable again in out_grad.
inline void LeakyReluGrad(Ops& ops, const Value& x, const Value& out_grad,
                          double negative_slope, Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value zero = FullLike(ops, x, 0);
  const Value small = Times(ops, out_grad, negative_slope);
  *x_grad = op::where(ops, op::greater_than(ops, x, zero), out_grad, small);
}

// The gradient of sigmoid from its result: s' = s (1 - s). Differentiable
// again.
inline void SigmoidGrad(Ops& ops, const Value& out, const Value& out_grad,
                        Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value one_minus = Linear(ops, out, -1, 1);
  const Value slope = op::multiply(ops, out, one_minus);
  *x_grad = op::multiply(ops, out_grad, Conjugated(ops, slope));
}

// The gradient of silu where it is differentiated again; the first derivative
// has a kernel: g s (1 + x (1 - s)) with s = sigmoid(x).
inline void SiluGrad(Ops& ops, const Value& x, const Value& out_grad,
                     Value* x_grad) {
  if (x_grad == nullptr) return;
  // Beyond, s is 0 or 1 in every dtype, and infinity times 0 is NaN.
  const Value z = IsComplex(ops.dtype(x))
                      ? x
                      : op::clip(ops, x, Scalar(-1000.0), Scalar(1000.0));
  const Value s = op::sigmoid(ops, x);
  const Value one_minus = Linear(ops, s, -1, 1);
  const Value rest = Linear(ops, op::multiply(ops, z, one_minus), 1, 1);
  const Value slope = op::multiply(ops, s, rest);
  *x_grad = op::multiply(ops, out_grad, Conjugated(ops, slope));
}

// The gradient of hardswish: g (t + z m) / 6 with z = x limited to [-3, 3], t =
// relu6(z + 3) and m = 1 where 0 < t < 6, else 0. Differentiable again.
inline void HardswishGrad(Ops& ops, const Value& x, const Value& out_grad,
                          Value* x_grad) {
  if (x_grad == nullptr) return;
  // Infinity times an m of 0 would be NaN.
  const Value z = op::clip(ops, Widened(ops, x), Scalar(-3.0), Scalar(3.0));
  const Value t = op::relu6(ops, Linear(ops, z, 1, 3));
  const Value below = Linear(ops, t, -1, 6);
  const Value inside =
      op::multiply(ops, op::sign(ops, t), op::sign(ops, below));
  const Value slope =
      Times(ops, op::add(ops, t, op::multiply(ops, z, inside)), 1.0 / 6);
  *x_grad = Narrowed(ops, op::multiply(ops, Widened(ops, out_grad), slope),
                     ops.dtype(x));
}

// The gradient of hardsigmoid from its result: g slope where 0 < out < 1, where
// sign(out) sign(1 - out) is 1. Differentiable again in out_grad.
inline void HardsigmoidGrad(Ops& ops, const Value& out, const Value& out_grad,
                            double slope, Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value below = Linear(ops, out, -1, 1);
  const Value inside =
      op::multiply(ops, op::sign(ops, out), op::sign(ops, below));
  const Value steep = Times(ops, out_grad, slope);
  *x_grad = op::multiply(ops, steep, inside);
}

// The gradient of softplus: g sigmoid(beta x), g itself where beta x is above
// the threshold. Differentiable again.
inline void SoftplusGrad(Ops& ops, const Value& x, const Value& out_grad,
                         double beta, double threshold, Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value scaled = Times(ops, x, beta);
  const Value limit = FullLike(ops, x, threshold);
  const Value smooth = op::multiply(ops, out_grad, op::sigmoid(ops, scaled));
  *x_grad =
      op::where(ops, op::greater_than(ops, scaled, limit), out_grad, smooth);
}

// The gradient of tanh from its result: t' = 1 - t^2. Differentiable again.
inline void TanhGrad(Ops& ops, const Value& out, const Value& out_grad,
                     Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value slope = Linear(ops, op::square(ops, out), -1, 1);
  *x_grad = op::multiply(ops, out_grad, Conjugated(ops, slope));
}

// The gradient of gelu where it is differentiated again; the first derivative
// has a kernel. Exact: Phi(x) + x phi(x). Approximate, with t the
// tanh of u = sqrt(2 / pi) (x + 0.044715 x^3): (1 + t) / 2 + x / 2 (1 - t^2)
// u'.
inline void GeluGrad(Ops& ops, const Value& x, const Value& out_grad,
                     bool approximate, Value* x_grad) {
  if (x_grad == nullptr) return;
  // Beyond, the gradient is 0 or 1 in every dtype, but powers of x overflow,
  // and infinity times 0 is NaN.
  const Value z = op::clip(ops, x, Scalar(-100.0), Scalar(100.0));
  const Value square = op::square(ops, z);
  Value share = z, slope = z;  // The factor of x in gelu, and its derivative.
  if (approximate) {
    constexpr double kRoot = 0.79788456080286535588;
    const Value cubic =
        op::multiply(ops, z, Linear(ops, square, 0.044715 * kRoot, kRoot));
    const Value t = op::tanh(ops, cubic);
    share = Linear(ops, t, 0.5, 0.5);
    slope = op::multiply(ops, Linear(ops, op::square(ops, t), -0.5, 0.5),
                         Linear(ops, square, 3 * 0.044715 * kRoot, kRoot));
  } else {
    share = Linear(ops, op::erf(ops, Linear(ops, z, 0.70710678118654752440, 0)),
                   0.5, 0.5);
    slope = Linear(ops, op::exp(ops, Linear(ops, square, -0.5, 0)),
                   0.39894228040143267794, 0);
  }
  const Value sum = op::add(ops, share, op::multiply(ops, z, slope));
  *x_grad = op::multiply(ops, out_grad, sum);
}

// The gradient of softmax from its result s along `axis`:
// s * (g - sum(g * s)). Differentiable again.
inline void SoftmaxGrad(Ops& ops, const Value& out, const Value& out_grad,
                        int axis, Value* x_grad) {
  if (x_grad == nullptr) return;
  const int64_t axes[] = {axis};
  const Value dot = op::sum(ops, op::multiply(ops, out_grad, out), axes,
                            DataType::kUndefined, true);
  *x_grad = op::multiply(ops, out, op::subtract(ops, out_grad, dot));
}

// The gradient of log_softmax from its result l along `axis`:
// g - exp(l) * sum(g). Differentiable again.
inline void LogSoftmaxGrad(Ops& ops, const Value& out, const Value& out_grad,
                           int axis, Value* x_grad) {
  if (x_grad == nullptr) return;
  const int64_t axes[] = {axis};
  const Value total = op::sum(ops, out_grad, axes, DataType::kUndefined, true);
  *x_grad =
      op::subtract(ops, out_grad, op::multiply(ops, op::exp(ops, out), total));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_ACTIVATION_H_
