// SPDX-License-Identifier: Apache-2.0
// The gradients of activation functions, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_ACTIVATION_H_
#define SWITCHYARD_PHI_COMPOSITE_ACTIVATION_H_

#include <cstdint>

#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "phi/composite/conjugate.h"
#include "phi/composite/elements.h"

namespace switchyard::phi::composite {

// The gradient of relu from its result: sign(out) is 1 where x was positive, 0
// elsewhere. Differentiable again in out_grad (sign has no gradient: relu is
// piecewise linear).
template <typename Ops, typename V = typename Ops::Value>
void ReluGrad(Ops& ops, const V& out, const V& out_grad, V* x_grad) {
  if (x_grad != nullptr) *x_grad = ops.multiply(out_grad, ops.sign(out));
}

// The gradient of relu6 from its result: g where 0 < out < 6. sign(out) sign(6
// - out) is 1 there and 0 at the ends. Differentiable again in out_grad.
template <typename Ops, typename V = typename Ops::Value>
void Relu6Grad(Ops& ops, const V& out, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V below = Linear(ops, out, -1, 6);
  const V inside = ops.multiply(ops.sign(out), ops.sign(below));
  *x_grad = ops.multiply(out_grad, inside);
}

// The gradient of leaky_relu: g where x > 0, else g times the slope.
// Differentiable again in out_grad.
template <typename Ops, typename V = typename Ops::Value>
void LeakyReluGrad(Ops& ops, const V& x, const V& out_grad,
                   double negative_slope, V* x_grad) {
  if (x_grad == nullptr) return;
  const V zero = FullLike(ops, x, 0);
  const V small = Times(ops, out_grad, negative_slope);
  *x_grad = ops.where(ops.greater_than(x, zero), out_grad, small);
}

// The gradient of sigmoid from its result: s' = s (1 - s). Differentiable
// again.
template <typename Ops, typename V = typename Ops::Value>
void SigmoidGrad(Ops& ops, const V& out, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V one_minus = Linear(ops, out, -1, 1);
  const V slope = ops.multiply(out, one_minus);
  *x_grad = ops.multiply(out_grad, Conjugated(ops, slope));
}

// The gradient of silu where it is differentiated again; the first derivative
// has a kernel: g s (1 + x (1 - s)) with s = sigmoid(x).
template <typename Ops, typename V = typename Ops::Value>
void SiluGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  // Beyond, s is 0 or 1 in every dtype, and infinity times 0 is NaN.
  const V z = IsComplex(ops.dtype(x))
                  ? x
                  : ops.clip(x, Scalar(-1000.0), Scalar(1000.0));
  const V s = ops.sigmoid(x);
  const V one_minus = Linear(ops, s, -1, 1);
  const V rest = Linear(ops, ops.multiply(z, one_minus), 1, 1);
  const V slope = ops.multiply(s, rest);
  *x_grad = ops.multiply(out_grad, Conjugated(ops, slope));
}

// The gradient of hardswish: g (t + z m) / 6 with z = x limited to [-3, 3], t =
// relu6(z + 3) and m = 1 where 0 < t < 6, else 0. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void HardswishGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  // Infinity times an m of 0 would be NaN.
  const V z = ops.clip(x, Scalar(-3.0), Scalar(3.0));
  const V t = ops.relu6(Linear(ops, z, 1, 3));
  const V below = Linear(ops, t, -1, 6);
  const V inside = ops.multiply(ops.sign(t), ops.sign(below));
  const V slope = Times(ops, ops.add(t, ops.multiply(z, inside)), 1.0 / 6);
  *x_grad = ops.multiply(out_grad, slope);
}

// The gradient of hardsigmoid from its result: g slope where 0 < out < 1, where
// sign(out) sign(1 - out) is 1. Differentiable again in out_grad.
template <typename Ops, typename V = typename Ops::Value>
void HardsigmoidGrad(Ops& ops, const V& out, const V& out_grad, double slope,
                     V* x_grad) {
  if (x_grad == nullptr) return;
  const V below = Linear(ops, out, -1, 1);
  const V inside = ops.multiply(ops.sign(out), ops.sign(below));
  const V steep = Times(ops, out_grad, slope);
  *x_grad = ops.multiply(steep, inside);
}

// The gradient of softplus: g sigmoid(beta x), g itself where beta x is above
// the threshold. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void SoftplusGrad(Ops& ops, const V& x, const V& out_grad, double beta,
                  double threshold, V* x_grad) {
  if (x_grad == nullptr) return;
  const V scaled = Times(ops, x, beta);
  const V limit = FullLike(ops, x, threshold);
  const V smooth = ops.multiply(out_grad, ops.sigmoid(scaled));
  *x_grad = ops.where(ops.greater_than(scaled, limit), out_grad, smooth);
}

// The gradient of tanh from its result: t' = 1 - t^2. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void TanhGrad(Ops& ops, const V& out, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V slope = Linear(ops, ops.square(out), -1, 1);
  *x_grad = ops.multiply(out_grad, Conjugated(ops, slope));
}

// The gradient of gelu where it is differentiated again; the first derivative
// has a kernel. Exact: Phi(x) + x phi(x). Approximate, with t the
// tanh of u = sqrt(2 / pi) (x + 0.044715 x^3): (1 + t) / 2 + x / 2 (1 - t^2)
// u'.
template <typename Ops, typename V = typename Ops::Value>
void GeluGrad(Ops& ops, const V& x, const V& out_grad, bool approximate,
              V* x_grad) {
  if (x_grad == nullptr) return;
  // Beyond, the gradient is 0 or 1 in every dtype, but powers of x overflow,
  // and infinity times 0 is NaN.
  const V z = ops.clip(x, Scalar(-100.0), Scalar(100.0));
  const V square = ops.square(z);
  V share = z, slope = z;  // The factor of x in gelu, and its derivative.
  if (approximate) {
    constexpr double kRoot = 0.79788456080286535588;
    const V cubic =
        ops.multiply(z, Linear(ops, square, 0.044715 * kRoot, kRoot));
    const V t = ops.tanh(cubic);
    share = Linear(ops, t, 0.5, 0.5);
    slope = ops.multiply(Linear(ops, ops.square(t), -0.5, 0.5),
                         Linear(ops, square, 3 * 0.044715 * kRoot, kRoot));
  } else {
    share = Linear(ops, ops.erf(Linear(ops, z, 0.70710678118654752440, 0)), 0.5,
                   0.5);
    slope = Linear(ops, ops.exp(Linear(ops, square, -0.5, 0)),
                   0.39894228040143267794, 0);
  }
  const V sum = ops.add(share, ops.multiply(z, slope));
  *x_grad = ops.multiply(out_grad, sum);
}

// The gradient of softmax from its result s along `axis`:
// s * (g - sum(g * s)). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void SoftmaxGrad(Ops& ops, const V& out, const V& out_grad, int axis,
                 V* x_grad) {
  if (x_grad == nullptr) return;
  const int64_t axes[] = {axis};
  const V dot =
      ops.sum(ops.multiply(out_grad, out), axes, DataType::kUndefined, true);
  *x_grad = ops.multiply(out, ops.subtract(out_grad, dot));
}

// The gradient of log_softmax from its result l along `axis`:
// g - exp(l) * sum(g). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void LogSoftmaxGrad(Ops& ops, const V& out, const V& out_grad, int axis,
                    V* x_grad) {
  if (x_grad == nullptr) return;
  const int64_t axes[] = {axis};
  const V total = ops.sum(out_grad, axes, DataType::kUndefined, true);
  *x_grad = ops.subtract(out_grad, ops.multiply(ops.exp(out), total));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_ACTIVATION_H_
