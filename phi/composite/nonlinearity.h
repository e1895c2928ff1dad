// SPDX-License-Identifier: Apache-2.0
// The gradients of further activation functions, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_NONLINEARITY_H_
#define SWITCHYARD_PHI_COMPOSITE_NONLINEARITY_H_

#include "framework/types/data_type.h"
#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

// The gradient of elu: g where x > 0, else g alpha exp(x). Differentiable
// again.
template <typename Ops, typename V = typename Ops::Value>
void EluGrad(Ops& ops, const V& x, const V& out_grad, double alpha, V* x_grad) {
  if (x_grad == nullptr) return;
  const V zero = ops.full_like(x, Scalar(0.0), DataType::kUndefined);
  // Where x is above 0, exp(x) may overflow, and the gradient of this gradient
  // would multiply it by 0.
  const V slope = ops.scale(ops.exp(ops.minimum(x, zero)), Scalar(alpha),
                            Scalar(0.0), true);
  *x_grad = ops.where(ops.greater_than(x, zero), out_grad,
                      ops.multiply(out_grad, slope));
}

// The gradient of celu: g where x > 0, else g exp(x / alpha). Differentiable
// again.
template <typename Ops, typename V = typename Ops::Value>
void CeluGrad(Ops& ops, const V& x, const V& out_grad, double alpha,
              V* x_grad) {
  if (x_grad == nullptr) return;
  const V zero = ops.full_like(x, Scalar(0.0), DataType::kUndefined);
  // Where x is above 0, exp(x) may overflow, and the gradient of this gradient
  // would multiply it by 0.
  const V slope = ops.exp(
      ops.scale(ops.minimum(x, zero), Scalar(1.0 / alpha), Scalar(0.0), true));
  *x_grad = ops.where(ops.greater_than(x, zero), out_grad,
                      ops.multiply(out_grad, slope));
}

// The gradient of selu: g scale where out > 0, else g (out + scale alpha).
// Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void SeluGrad(Ops& ops, const V& out, const V& out_grad, double scale,
              double alpha, V* x_grad) {
  if (x_grad == nullptr) return;
  const V zero = ops.full_like(out, Scalar(0.0), DataType::kUndefined);
  const V slope = ops.scale(out, Scalar(1.0), Scalar(scale * alpha), true);
  *x_grad = ops.where(ops.greater_than(out, zero),
                      ops.scale(out_grad, Scalar(scale), Scalar(0.0), true),
                      ops.multiply(out_grad, slope));
}

// The gradient of softsign: g / (1 + |x|)^2. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void SoftsignGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V sum = ops.scale(ops.abs(x), Scalar(1.0), Scalar(1.0), true);
  *x_grad = ops.divide(out_grad, ops.square(sum));
}

// The gradient of mish: g (t + x (1 - t^2) s) with t = tanh(softplus(x)) and
// the derivative s of softplus: sigmoid(x), 1 above the threshold.
// Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void MishGrad(Ops& ops, const V& x, const V& out_grad, double threshold,
              V* x_grad) {
  if (x_grad == nullptr) return;
  const V limit = ops.full_like(x, Scalar(threshold), DataType::kUndefined);
  const V t = ops.tanh(ops.softplus(x, 1.0, threshold));
  const V rest = ops.scale(ops.square(t), Scalar(-1.0), Scalar(1.0), true);
  const V chain = ops.multiply(x, rest);
  const V slope = ops.where(ops.greater_than(x, limit), chain,
                            ops.multiply(chain, ops.sigmoid(x)));
  *x_grad = ops.multiply(out_grad, ops.add(t, slope));
}

// The gradient of logsigmoid: g sigmoid(-x). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void LogSigmoidGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V negative = ops.scale(x, Scalar(-1.0), Scalar(0.0), true);
  *x_grad = ops.multiply(out_grad, ops.sigmoid(negative));
}

// The gradient of tanh_shrink: g tanh(x)^2. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void TanhShrinkGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = ops.multiply(out_grad, ops.square(ops.tanh(x)));
}

// The gradient of stanh: g a b (1 - tanh(a x)^2) with the scales a and b.
// Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void StanhGrad(Ops& ops, const V& x, const V& out_grad, double scale_a,
               double scale_b, V* x_grad) {
  if (x_grad == nullptr) return;
  const V t = ops.tanh(ops.scale(x, Scalar(scale_a), Scalar(0.0), true));
  const double product = scale_a * scale_b;
  const V slope =
      ops.scale(ops.square(t), Scalar(-product), Scalar(product), true);
  *x_grad = ops.multiply(out_grad, slope);
}

// The gradient of softshrink and of hardshrink: g where |x| is above the
// threshold, else 0. Differentiable again in out_grad.
template <typename Ops, typename V = typename Ops::Value>
void ShrinkGrad(Ops& ops, const V& x, const V& out_grad, double threshold,
                V* x_grad) {
  if (x_grad == nullptr) return;
  const DataType same = DataType::kUndefined;
  const V limit = ops.full_like(x, Scalar(threshold), same);
  *x_grad = ops.where(ops.greater_than(ops.abs(x), limit), out_grad,
                      ops.full_like(out_grad, Scalar(0.0), same));
}

// The gradient of thresholded_relu: g where x is above the threshold, else 0.
// Differentiable again in out_grad.
template <typename Ops, typename V = typename Ops::Value>
void ThresholdedReluGrad(Ops& ops, const V& x, const V& out_grad,
                         double threshold, V* x_grad) {
  if (x_grad == nullptr) return;
  const DataType same = DataType::kUndefined;
  const V limit = ops.full_like(x, Scalar(threshold), same);
  *x_grad = ops.where(ops.greater_than(x, limit), out_grad,
                      ops.full_like(out_grad, Scalar(0.0), same));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_NONLINEARITY_H_
