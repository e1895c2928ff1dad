// SPDX-License-Identifier: Apache-2.0
// Further activation functions and their gradients, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_NONLINEARITY_H_
#define SWITCHYARD_PHI_COMPOSITE_NONLINEARITY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/base/quoted.h"
#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"

namespace switchyard::phi::composite {

// The gradient of elu: g where x > 0, else g alpha exp(x). Differentiable
// again.
template <typename Ops, typename V = typename Ops::Value>
void EluGrad(Ops& ops, const V& x, const V& out_grad, double alpha, V* x_grad) {
  if (x_grad == nullptr) return;
  const V zero = FullLike(ops, x, 0);
  // Where x is above 0, exp(x) may overflow, and the gradient of this gradient
  // would multiply it by 0.
  const V slope = Times(ops, ops.exp(ops.minimum(x, zero)), alpha);
  *x_grad = ops.where(ops.greater_than(x, zero), out_grad,
                      ops.multiply(out_grad, slope));
}

// The gradient of celu: g where x > 0, else g exp(x / alpha). Differentiable
// again.
template <typename Ops, typename V = typename Ops::Value>
void CeluGrad(Ops& ops, const V& x, const V& out_grad, double alpha,
              V* x_grad) {
  if (x_grad == nullptr) return;
  const V zero = FullLike(ops, x, 0);
  // Where x is above 0, exp(x) may overflow, and the gradient of this gradient
  // would multiply it by 0.
  const V slope = ops.exp(Times(ops, ops.minimum(x, zero), 1.0 / alpha));
  *x_grad = ops.where(ops.greater_than(x, zero), out_grad,
                      ops.multiply(out_grad, slope));
}

// The gradient of selu: g scale where x > 0, else g scale alpha exp(x), of
// which the result out has nothing left below -17. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void SeluInputGrad(Ops& ops, const V& x, const V& out_grad, double scale,
                   double alpha, V* x_grad) {
  if (x_grad == nullptr) return;
  const V zero = FullLike(ops, x, 0);
  // Where x is above 0, exp(x) may overflow, as in EluGrad.
  const V slope = Times(ops, ops.exp(ops.minimum(x, zero)), scale * alpha);
  *x_grad = ops.where(ops.greater_than(x, zero), Times(ops, out_grad, scale),
                      ops.multiply(out_grad, slope));
}

// The gradient of selu from its result: g scale where out > 0, else
// g (out + scale alpha). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void SeluGrad(Ops& ops, const V& out, const V& out_grad, double scale,
              double alpha, V* x_grad) {
  if (x_grad == nullptr) return;
  const V zero = FullLike(ops, out, 0);
  const V slope = Linear(ops, out, 1, scale * alpha);
  *x_grad = ops.where(ops.greater_than(out, zero), Times(ops, out_grad, scale),
                      ops.multiply(out_grad, slope));
}

// The gradient of softsign: g / (1 + |x|)^2. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void SoftsignGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V sum = Linear(ops, ops.abs(x), 1, 1);
  *x_grad = ops.divide(out_grad, ops.square(sum));
}

// The gradient of mish: g (t + x (1 - t^2) s) with t = tanh(softplus(x)) and
// the derivative s of softplus: sigmoid(x), 1 above the threshold.
// Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void MishGrad(Ops& ops, const V& x, const V& out_grad, double threshold,
              V* x_grad) {
  if (x_grad == nullptr) return;
  const V limit = FullLike(ops, x, threshold);
  const V t = ops.tanh(ops.softplus(x, 1.0, threshold));
  const V rest = Linear(ops, ops.square(t), -1, 1);
  // Beyond, the chain is 0 in every dtype, and infinity times 0 is NaN.
  const V z = ops.clip(x, Scalar(-1000.0), Scalar(1000.0));
  const V chain = ops.multiply(z, rest);
  const V slope = ops.where(ops.greater_than(x, limit), chain,
                            ops.multiply(chain, ops.sigmoid(x)));
  *x_grad = ops.multiply(out_grad, ops.add(t, slope));
}

// The gradient of logsigmoid: g sigmoid(-x). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void LogSigmoidGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V negative = Times(ops, x, -1);
  *x_grad = ops.multiply(out_grad, ops.sigmoid(negative));
}

// The gradient of tanh_shrink: g tanh(x)^2. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void TanhShrinkGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = ops.multiply(out_grad, ops.square(ops.tanh(x)));
}

// The gradient of stanh with the scales a and b: g a b (1 - tanh(a x)^2), where
// the difference is 4 s (1 - s) for s = sigmoid(2 a x), and 1 - s is sigmoid(-2
// a x). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void StanhGrad(Ops& ops, const V& x, const V& out_grad, double scale_a,
               double scale_b, V* x_grad) {
  if (x_grad == nullptr) return;
  const V above = ops.sigmoid(Times(ops, x, 2 * scale_a));
  const V below = ops.sigmoid(Times(ops, x, -2 * scale_a));
  const V slope = ops.multiply(above, below);
  *x_grad = ops.multiply(out_grad, Times(ops, slope, 4 * scale_a * scale_b));
}

// The gradient of softshrink and of hardshrink: g where |x| is above the
// threshold, else 0. Differentiable again in out_grad.
template <typename Ops, typename V = typename Ops::Value>
void ShrinkGrad(Ops& ops, const V& x, const V& out_grad, double threshold,
                V* x_grad) {
  if (x_grad == nullptr) return;
  const V limit = FullLike(ops, x, threshold);
  *x_grad = ops.where(ops.greater_than(ops.abs(x), limit), out_grad,
                      FullLike(ops, out_grad, 0));
}

// The gradient of thresholded_relu: g where x is above the threshold, else 0.
// Differentiable again in out_grad.
template <typename Ops, typename V = typename Ops::Value>
void ThresholdedReluGrad(Ops& ops, const V& x, const V& out_grad,
                         double threshold, V* x_grad) {
  if (x_grad == nullptr) return;
  const V limit = FullLike(ops, x, threshold);
  *x_grad = ops.where(ops.greater_than(x, limit), out_grad,
                      FullLike(ops, out_grad, 0));
}

// The extents of prelu's alpha that broadcast to x of `shape`. Part of Prelu;
// not an operator's composite itself.
template <typename Ops>
std::vector<int64_t> PreluExtents(Ops& ops, const Shape& shape,
                                  std::string_view data_format,
                                  std::string_view mode) {
  const int rank = shape.rank();
  if (data_format != "NCHW" && data_format != "NHWC") {
    ops.Fail(ArgumentError("data_format", "\"NCHW\" or \"NHWC\"",
                           Quoted(data_format)));
  }
  std::vector<int64_t> extents(static_cast<size_t>(rank), 1);
  if (mode == "all") return extents;
  if (mode != "channel" && mode != "element") {
    ops.Fail(ArgumentError("mode", "\"all\", \"channel\" or \"element\"",
                           Quoted(mode)));
  }
  if (rank < 2) {
    ops.Fail(ArgumentError("x", "of rank 2 at least", ToString(shape)));
  }
  if (mode == "element") {
    extents = Extents(shape);
    extents[0] = 1;
  } else {
    const int channel = data_format == "NCHW" ? 1 : rank - 1;
    extents[channel] = shape[channel].known() ? shape[channel].value() : -1;
  }
  return extents;
}

// x where it is above 0, else alpha x.
template <typename Ops, typename V = typename Ops::Value>
void Prelu(Ops& ops, const V& x, const V& alpha, std::string_view data_format,
           std::string_view mode, V* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(x), given = ops.shape(alpha);
  const std::vector<int64_t> extents =
      PreluExtents(ops, shape, data_format, mode);
  Dim expected(1), actual(1);
  for (const int64_t extent : extents) {
    expected = *Multiply(expected, extent < 0 ? Dim::Unknown() : Dim(extent));
  }
  for (const Dim dim : given.dims()) actual = *Multiply(actual, dim);
  if (!MayEqual(expected, actual)) {
    return ops.Fail(ArgumentError("alpha",
                                  "of " + ToString(expected) +
                                      " elements (mode \"" + std::string(mode) +
                                      "\")",
                                  ToString(actual)));
  }
  // An alpha of x's rank is as it shall be, whatever extents are unknown.
  const bool ready = mode == "element" && given.rank() == shape.rank();
  if (!ready && !CanReshapeTo(extents)) {
    return ops.Fail(UnknownShapeError("x"));
  }
  std::vector<int64_t> own = extents;
  if (mode == "channel") {
    own[data_format == "NCHW" ? 1 : own.size() - 1] = -1;
  }
  const V slope = ready ? alpha : ReshapeTo(ops, alpha, own);
  const V zero = FullLike(ops, x, 0);
  *out = ops.where(ops.greater_than(x, zero), x, ops.multiply(x, slope));
}

// x between t_min and t_max.
template <typename Ops, typename V = typename Ops::Value>
void Hardtanh(Ops& ops, const V& x, double t_min, double t_max, V* out) {
  if (out == nullptr) return;
  if (!(t_min <= t_max)) {
    return ops.Fail(
        ArgumentError("t_max", "at least t_min (" + std::to_string(t_min) + ")",
                      std::to_string(t_max)));
  }
  *out = ops.clip(x, Scalar(t_min), Scalar(t_max));
}

// The largest of successive channels: of the slices that begin with one of the
// first `groups` and leave out the others.
template <typename Ops, typename V = typename Ops::Value>
void Maxout(Ops& ops, const V& x, int groups, int axis, V* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(x);
  const auto channel = NormalizeAxis("axis", axis, shape.rank());
  if (!channel.ok()) return ops.Fail(channel.status());
  const Dim channels = shape[*channel];
  if (!channels.known()) {
    return ops.Fail(ArgumentError("x", "of known channels", ToString(shape)));
  }
  if (groups < 1 || channels.value() % groups != 0 || channels.value() == 0) {
    return ops.Fail(ArgumentError(
        "groups", "a divisor of the channels (" + ToString(channels) + ")",
        std::to_string(groups)));
  }
  for (int64_t i = 0; i < groups; ++i) {
    const V part = ops.strided_slice(x, {int64_t{*channel}}, {i},
                                     {channels.value()}, {int64_t{groups}}, {});
    *out = i == 0 ? part : ops.maximum(*out, part);
  }
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_NONLINEARITY_H_
