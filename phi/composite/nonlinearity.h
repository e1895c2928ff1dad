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
#include "phi/composite/calls/of_nonlinearity.h"
#include "phi/composite/conjugate.h"
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"
#include "phi/composite/ops.h"
#include "phi/composite/widening.h"
#include "phi/composite/wider.h"

namespace switchyard::phi::composite {

// The gradient of elu: g where x > 0, else g alpha exp(x). Differentiable
// again.
inline void EluGrad(Ops& ops, const Value& x, const Value& out_grad,
                    double alpha, Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value zero = FullLike(ops, x, 0);
  // Where x is above 0, exp(x) may overflow, and the gradient of this gradient
  // would multiply it by 0.
  const Value slope =
      Times(ops, op::exp(ops, op::minimum(ops, x, zero)), alpha);
  *x_grad = op::where(ops, op::greater_than(ops, x, zero), out_grad,
                      op::multiply(ops, out_grad, slope));
}

// The gradient of celu: g where x > 0, else g exp(x / alpha). Differentiable
// again.
inline void CeluGrad(Ops& ops, const Value& x, const Value& out_grad,
                     double alpha, Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value zero = FullLike(ops, x, 0);
  // Where x is above 0, exp(x) may overflow, and the gradient of this gradient
  // would multiply it by 0.
  const Value slope =
      op::exp(ops, Times(ops, op::minimum(ops, x, zero), 1.0 / alpha));
  *x_grad = op::where(ops, op::greater_than(ops, x, zero), out_grad,
                      op::multiply(ops, out_grad, slope));
}

// The gradient of selu: g scale where x > 0, else g scale alpha exp(x), of
// which the result out has nothing left below -17. Differentiable again.
inline void SeluInputGrad(Ops& ops, const Value& x, const Value& out_grad,
                          double scale, double alpha, Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value zero = FullLike(ops, x, 0);
  // Where x is above 0, exp(x) may overflow, as in EluGrad.
  const Value slope =
      Times(ops, op::exp(ops, op::minimum(ops, x, zero)), scale * alpha);
  *x_grad = op::where(ops, op::greater_than(ops, x, zero),
                      Times(ops, out_grad, scale),
                      op::multiply(ops, out_grad, slope));
}

// The gradient of selu from its result: g scale where out > 0, else
// g (out + scale alpha). Differentiable again.
inline void SeluGrad(Ops& ops, const Value& out, const Value& out_grad,
                     double scale, double alpha, Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value zero = FullLike(ops, out, 0);
  const Value slope = Linear(ops, out, 1, scale * alpha);
  *x_grad = op::where(ops, op::greater_than(ops, out, zero),
                      Times(ops, out_grad, scale),
                      op::multiply(ops, out_grad, slope));
}

// The gradient of softsign: g / (1 + |x|)^2; of complex numbers, where s is
// 1 + |x|, g / s - x / |x| re(conj(g) x) / s^2. Differentiable again.
inline void SoftsignGrad(Ops& ops, const Value& x, const Value& out_grad,
                         Value* x_grad) {
  if (x_grad == nullptr) return;
  if (!IsComplex(ops.dtype(x))) {
    const Value sum = Linear(ops, op::abs(ops, x), 1, 1);
    *x_grad = op::divide(ops, out_grad, op::multiply(ops, sum, sum));
    return;
  }
  // |x| is 1 where x is 0, so that no gradient of it is NaN.
  const Value at_zero = op::equal(ops, x, FullLike(ops, x, 0));
  const Value size =
      op::abs(ops, op::where(ops, at_zero, FullLike(ops, x, 1), x));
  const Value sum =
      op::where(ops, at_zero, FullLike(ops, size, 1), Linear(ops, size, 1, 1));
  const Value along =
      op::real(ops, op::multiply(ops, op::conj(ops, out_grad), x));
  const Value less = op::divide(
      ops, along, op::multiply(ops, size, op::multiply(ops, sum, sum)));
  *x_grad = op::subtract(ops, op::divide(ops, out_grad, sum),
                         op::multiply(ops, x, less));
}

// The gradient of mish: g (t + x (1 - t^2) s) with t = tanh(softplus(x)) and
// the derivative s of softplus: sigmoid(x), 1 above the threshold.
// Differentiable again.
inline void MishGrad(Ops& ops, const Value& x, const Value& out_grad,
                     double threshold, Value* x_grad) {
  if (x_grad == nullptr) return;
  const DataType dtype = ops.dtype(x);
  const Value wide = Narrowed(ops, x, WiderThan(dtype));
  const Value limit = FullLike(ops, wide, threshold);
  const Value t = op::tanh(ops, op::softplus(ops, wide, 1.0, threshold));
  const Value rest = Linear(ops, op::square(ops, t), -1, 1);
  // Beyond, the chain is 0 in every dtype, and infinity times 0 is NaN.
  const Value z = op::clip(ops, wide, Scalar(-1000.0), Scalar(1000.0));
  const Value chain = op::multiply(ops, z, rest);
  const Value slope =
      op::where(ops, op::greater_than(ops, wide, limit), chain,
                op::multiply(ops, chain, op::sigmoid(ops, wide)));
  const Value grad = op::multiply(
      ops, Narrowed(ops, out_grad, WiderThan(dtype)), op::add(ops, t, slope));
  *x_grad = Narrowed(ops, grad, dtype);
}

// The gradient of logsigmoid: g sigmoid(-x). Differentiable again.
inline void LogSigmoidGrad(Ops& ops, const Value& x, const Value& out_grad,
                           Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value negative = Times(ops, x, -1);
  *x_grad =
      op::multiply(ops, out_grad, Conjugated(ops, op::sigmoid(ops, negative)));
}

// The gradient of tanh_shrink: g tanh(x)^2. Differentiable again.
inline void TanhShrinkGrad(Ops& ops, const Value& x, const Value& out_grad,
                           Value* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = op::multiply(ops, out_grad, op::square(ops, op::tanh(ops, x)));
}

// The gradient of stanh with the scales a and b: g a b (1 - tanh(a x)^2), where
// the difference is 4 s (1 - s) for s = sigmoid(2 a x), and 1 - s is sigmoid(-2
// a x). Differentiable again.
inline void StanhGrad(Ops& ops, const Value& x, const Value& out_grad,
                      double scale_a, double scale_b, Value* x_grad) {
  if (x_grad == nullptr) return;
  const DataType dtype = ops.dtype(x);
  const Value wide = Narrowed(ops, x, WiderThan(dtype));
  const Value above = op::sigmoid(ops, Times(ops, wide, 2 * scale_a));
  const Value below = op::sigmoid(ops, Times(ops, wide, -2 * scale_a));
  const Value slope =
      Times(ops, op::multiply(ops, above, below), 4 * scale_a * scale_b);
  const Value grad = op::multiply(
      ops, Narrowed(ops, out_grad, WiderThan(dtype)), Conjugated(ops, slope));
  *x_grad = Narrowed(ops, grad, dtype);
}

// The gradient of softshrink and of hardshrink: g where |x| is above the
// threshold, else 0. Differentiable again in out_grad.
inline void ShrinkGrad(Ops& ops, const Value& x, const Value& out_grad,
                       double threshold, Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value limit = FullLike(ops, x, threshold);
  *x_grad = op::where(ops, op::greater_than(ops, op::abs(ops, x), limit),
                      out_grad, FullLike(ops, out_grad, 0));
}

// The gradient of thresholded_relu: g where x is above the threshold, else 0.
// Differentiable again in out_grad.
inline void ThresholdedReluGrad(Ops& ops, const Value& x, const Value& out_grad,
                                double threshold, Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value limit = FullLike(ops, x, threshold);
  *x_grad = op::where(ops, op::greater_than(ops, x, limit), out_grad,
                      FullLike(ops, out_grad, 0));
}

// The extents of prelu's alpha that broadcast to x of `shape`. Part of Prelu;
// not an operator's composite itself.
inline std::vector<int64_t> PreluExtents(Ops& ops, const Shape& shape,
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
inline void Prelu(Ops& ops, const Value& x, const Value& alpha,
                  std::string_view data_format, std::string_view mode,
                  Value* out) {
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
  const Value slope = ready ? alpha : ReshapeTo(ops, alpha, own);
  const Value zero = FullLike(ops, x, 0);
  *out = op::where(ops, op::greater_than(ops, x, zero), x,
                   op::multiply(ops, x, slope));
}

// x between t_min and t_max.
inline void Hardtanh(Ops& ops, const Value& x, double t_min, double t_max,
                     Value* out) {
  if (out == nullptr) return;
  if (!(t_min <= t_max)) {
    return ops.Fail(
        ArgumentError("t_max", "at least t_min (" + std::to_string(t_min) + ")",
                      std::to_string(t_max)));
  }
  *out = op::clip(ops, x, Scalar(t_min), Scalar(t_max));
}

// The largest of successive channels: of the slices that begin with one of the
// first `groups` and leave out the others.
inline void Maxout(Ops& ops, const Value& x, int groups, int axis, Value* out) {
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
    const Value part =
        op::strided_slice(ops, x, {int64_t{*channel}}, {i}, {channels.value()},
                          {int64_t{groups}}, {});
    *out = i == 0 ? part : op::maximum(ops, *out, part);
  }
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_NONLINEARITY_H_
