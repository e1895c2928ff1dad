// SPDX-License-Identifier: Apache-2.0
// Steps of optimizers that are made of operators. What is narrower than float32
// is computed in it and rounded once.
#ifndef SWITCHYARD_PHI_COMPOSITE_GRADIENT_STEP_H_
#define SWITCHYARD_PHI_COMPOSITE_GRADIENT_STEP_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/base/quoted.h"
#include "framework/base/status.h"
#include "framework/types/attr_arg.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_gradient_step.h"
#include "phi/composite/elements.h"
#include "phi/composite/ops.h"
#include "phi/composite/widening.h"

namespace switchyard::phi::composite {

// Parts of the composites below, not operators' composites themselves.
namespace gradient_step {

// Fails unless `v` may have the shape of `param`.
inline void CheckLikeParam(Ops& ops, std::string_view argument, const Value& v,
                           const Value& param) {
  if (MayEqual(ops.shape(v), ops.shape(param))) return;
  ops.Fail(ArgumentError(argument,
                         "of the shape of param, " + ToString(ops.shape(param)),
                         ToString(ops.shape(v))));
}

// The one element of `v`, of rank 0 and in the dtype that `like` has.
inline Value Number(Ops& ops, std::string_view argument, const Value& v,
                    const Value& like) {
  const Shape shape = ops.shape(v);
  const auto count = shape.NumElements();
  if (shape.known() && (!count.ok() || *count != 1)) {
    ops.Fail(ArgumentError(argument, "of one element", ToString(shape)));
  }
  const std::vector<int64_t> none;
  return Narrowed(ops, op::reshape(ops, v, none), ops.dtype(like));
}

// Element `i` of the list of two `v`.
inline Value OfTwo(Ops& ops, std::string_view argument, const Value& v,
                   int64_t i, const Value& like) {
  const Shape shape = ops.shape(v);
  if (shape.rank() != 1 || !MayEqual(shape[0], Dim(2))) {
    ops.Fail(ArgumentError(argument, "of shape [2]", ToString(shape)));
  }
  const std::vector<int64_t> axes = {0}, starts = {i}, ends = {i + 1};
  return Number(ops, argument, op::slice(ops, v, axes, starts, ends), like);
}

// The parameter nearest to `prox` under penalties l1 |p| + l2 / 2 p^2, which
// count as much as the rate says.
inline Value Proximal(Ops& ops, const Value& prox, const Value& rate, double l1,
                      double l2) {
  Value held = prox;
  if (l1 > 0) {
    const Value rest =
        op::subtract(ops, op::abs(ops, prox), Times(ops, rate, l1));
    held = op::multiply(ops, op::sign(ops, prox),
                        op::maximum(ops, rest, FullLike(ops, rest, 0)));
  }
  return op::divide(ops, held, Linear(ops, rate, l2, 1));
}

}  // namespace gradient_step

// One step along the mean of the last n gradients, whose sum is d.
inline void Asgd(Ops& ops, const Value& param, const Value& grad,
                 const Value& learning_rate, const Value& d, const Value& y,
                 const Value& n, Value* param_out, Value* d_out, Value* y_out) {
  gradient_step::CheckLikeParam(ops, "grad", grad, param);
  gradient_step::CheckLikeParam(ops, "d", d, param);
  gradient_step::CheckLikeParam(ops, "y", y, param);
  const Value wide = Widened(ops, param), slope = Widened(ops, grad);
  const Value rate =
      gradient_step::Number(ops, "learning_rate", learning_rate, wide);
  const Value count = gradient_step::Number(ops, "n", n, wide);
  const Value sum =
      op::add(ops, op::subtract(ops, Widened(ops, d), Widened(ops, y)), slope);
  if (d_out != nullptr) *d_out = Narrowed(ops, sum, ops.dtype(d));
  if (y_out != nullptr) *y_out = op::assign(ops, grad);
  if (param_out == nullptr) return;
  const Value step = op::multiply(ops, op::divide(ops, rate, count), sum);
  *param_out = Narrowed(ops, op::subtract(ops, wide, step), ops.dtype(param));
}

// One step by the gradient's signs, by a rate of each element's own.
inline void Rprop(Ops& ops, const Value& param, const Value& grad,
                  const Value& prev, const Value& learning_rate,
                  const Value& learning_rate_range, const Value& etas,
                  Value* param_out, Value* prev_out, Value* learning_rate_out) {
  gradient_step::CheckLikeParam(ops, "grad", grad, param);
  gradient_step::CheckLikeParam(ops, "prev", prev, param);
  gradient_step::CheckLikeParam(ops, "learning_rate", learning_rate, param);
  const Value wide = Widened(ops, param), rates = Widened(ops, learning_rate);
  const auto of = [&](const char* name, const Value& list, int64_t i) {
    return gradient_step::OfTwo(ops, name, list, i, rates);
  };
  const Value product =
      op::multiply(ops, Widened(ops, grad), Widened(ops, prev));
  const Value zero = FullLike(ops, product, 0);
  const Value turned = op::less_than(ops, product, zero);
  const Value shrunk = op::multiply(ops, rates, of("etas", etas, 0));
  const Value grown = op::multiply(ops, rates, of("etas", etas, 1));
  const Value next = op::where(ops, op::greater_than(ops, product, zero), grown,
                               op::where(ops, turned, shrunk, rates));
  const Value least = of("learning_rate_range", learning_rate_range, 0);
  const Value most = of("learning_rate_range", learning_rate_range, 1);
  const Value held = op::minimum(ops, op::maximum(ops, next, least), most);
  const Value slope = op::where(ops, turned, FullLike(ops, grad, 0), grad);
  if (prev_out != nullptr) *prev_out = slope;
  if (learning_rate_out != nullptr) {
    *learning_rate_out = Narrowed(ops, held, ops.dtype(learning_rate));
  }
  if (param_out == nullptr) return;
  const Value step =
      op::multiply(ops, op::sign(ops, Widened(ops, slope)), held);
  *param_out = Narrowed(ops, op::subtract(ops, wide, step), ops.dtype(param));
}

// One step along a gradient that is shortened to `clip` and blurred.
inline void Dpsgd(Ops& ops, const Value& param, const Value& grad,
                  const Value& learning_rate, const Value& rng, double clip,
                  double batch_size, double sigma, int64_t stream,
                  Value* param_out) {
  if (param_out == nullptr) return;
  gradient_step::CheckLikeParam(ops, "grad", grad, param);
  if (!(clip > 0)) {
    return ops.Fail(ArgumentError("clip", "over 0", std::to_string(clip)));
  }
  if (!(batch_size > 0)) {
    return ops.Fail(
        ArgumentError("batch_size", "over 0", std::to_string(batch_size)));
  }
  if (!(sigma >= 0)) {
    return ops.Fail(ArgumentError("sigma", "0 or more", std::to_string(sigma)));
  }
  const Value wide = Widened(ops, param), slope = Widened(ops, grad);
  const Value rate =
      gradient_step::Number(ops, "learning_rate", learning_rate, wide);
  const std::vector<int64_t> all;
  const Value norm = op::sqrt(ops, op::sum(ops, op::square(ops, slope), all,
                                           DataType::kUndefined, false));
  const Value limit = FullLike(ops, norm, clip);
  const Value shorter = op::divide(ops, op::multiply(ops, slope, limit),
                                   op::maximum(ops, norm, limit));
  const Value noise = Times(
      ops, op::gaussian(ops, rng, all, 0.0, sigma, ops.dtype(wide), stream),
      1 / batch_size);
  const Value step = op::multiply(ops, rate, op::add(ops, shorter, noise));
  *param_out = Narrowed(ops, op::subtract(ops, wide, step), ops.dtype(param));
}

// One step of gradient descent and then to the nearest parameter under
// penalties.
inline void ProximalGd(Ops& ops, const Value& param, const Value& grad,
                       const Value& learning_rate, double l1, double l2,
                       Value* param_out) {
  if (param_out == nullptr) return;
  gradient_step::CheckLikeParam(ops, "grad", grad, param);
  const Value wide = Widened(ops, param);
  const Value rate =
      gradient_step::Number(ops, "learning_rate", learning_rate, wide);
  const Value prox =
      op::subtract(ops, wide, op::multiply(ops, rate, Widened(ops, grad)));
  *param_out = Narrowed(ops, gradient_step::Proximal(ops, prox, rate, l1, l2),
                        ops.dtype(param));
}

// Takes a proximal step, as above, at Adagrad's rate.
inline void ProximalAdagrad(Ops& ops, const Value& param, const Value& grad,
                            const Value& moment, const Value& learning_rate,
                            double l1, double l2, Value* param_out,
                            Value* moment_out) {
  gradient_step::CheckLikeParam(ops, "grad", grad, param);
  gradient_step::CheckLikeParam(ops, "moment", moment, param);
  const Value wide = Widened(ops, param), slope = Widened(ops, grad);
  const Value rate =
      gradient_step::Number(ops, "learning_rate", learning_rate, wide);
  const Value sum = op::add(ops, Widened(ops, moment), op::square(ops, slope));
  if (moment_out != nullptr) {
    *moment_out = Narrowed(ops, sum, ops.dtype(moment));
  }
  if (param_out == nullptr) return;
  // An element whose gradients were all 0 stays where it is.
  const Value zero = FullLike(ops, sum, 0);
  const Value root = op::sqrt(ops, op::where(ops, op::equal(ops, sum, zero),
                                             FullLike(ops, sum, 1), sum));
  const Value prox = op::subtract(
      ops, wide, op::divide(ops, op::multiply(ops, rate, slope), root));
  *param_out = Narrowed(ops, gradient_step::Proximal(ops, prox, rate, l1, l2),
                        ops.dtype(param));
}

// One step of momentum by a gradient that has slices of the parameter alone.
inline void SparseMomentum(Ops& ops, const Value& param, const Value& grad,
                           const Value& velocity, const Value& index,
                           const Value& learning_rate, double mu,
                           bool use_nesterov,
                           std::string_view regularization_method,
                           double regularization_coeff, double rescale_grad,
                           AttrArg<int> axis, Value* param_out,
                           Value* velocity_out) {
  gradient_step::CheckLikeParam(ops, "velocity", velocity, param);
  if (!regularization_method.empty() && regularization_method != "l2_decay") {
    return ops.Fail(ArgumentError("regularization_method",
                                  "\"\" or \"l2_decay\"",
                                  Quoted(regularization_method)));
  }
  const Value wide = Widened(ops, param);
  const Value rate =
      gradient_step::Number(ops, "learning_rate", learning_rate, wide);
  Value slope = op::index_add(ops, FullLike(ops, wide, 0), index,
                              Widened(ops, grad), axis.value());
  if (rescale_grad != 1) slope = Times(ops, slope, rescale_grad);
  if (!regularization_method.empty()) {
    slope = op::add(ops, slope, Times(ops, wide, regularization_coeff));
  }
  const Value next =
      op::add(ops, Times(ops, Widened(ops, velocity), mu), slope);
  if (velocity_out != nullptr) {
    *velocity_out = Narrowed(ops, next, ops.dtype(velocity));
  }
  if (param_out == nullptr) return;
  const Value way =
      use_nesterov ? op::add(ops, slope, Times(ops, next, mu)) : next;
  *param_out =
      Narrowed(ops, op::subtract(ops, wide, op::multiply(ops, rate, way)),
               ops.dtype(param));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_GRADIENT_STEP_H_
