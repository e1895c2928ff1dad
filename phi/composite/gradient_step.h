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
#include "phi/composite/elements.h"
#include "phi/composite/widening.h"

namespace switchyard::phi::composite {

// Parts of the composites below, not operators' composites themselves.
namespace gradient_step {

// Fails unless `v` may have the shape of `param`.
template <typename Ops, typename V>
void CheckLikeParam(Ops& ops, std::string_view argument, const V& v,
                    const V& param) {
  if (MayEqual(ops.shape(v), ops.shape(param))) return;
  ops.Fail(ArgumentError(argument,
                         "of the shape of param, " + ToString(ops.shape(param)),
                         ToString(ops.shape(v))));
}

// The one element of `v`, of rank 0 and in the dtype that `like` has.
template <typename Ops, typename V>
V Number(Ops& ops, std::string_view argument, const V& v, const V& like) {
  const Shape shape = ops.shape(v);
  const auto count = shape.NumElements();
  if (shape.known() && (!count.ok() || *count != 1)) {
    ops.Fail(ArgumentError(argument, "of one element", ToString(shape)));
  }
  const std::vector<int64_t> none;
  return Narrowed(ops, ops.reshape(v, none), ops.dtype(like));
}

// Element `i` of the list of two `v`.
template <typename Ops, typename V>
V OfTwo(Ops& ops, std::string_view argument, const V& v, int64_t i,
        const V& like) {
  const Shape shape = ops.shape(v);
  if (shape.rank() != 1 || !MayEqual(shape[0], Dim(2))) {
    ops.Fail(ArgumentError(argument, "of shape [2]", ToString(shape)));
  }
  const std::vector<int64_t> axes = {0}, starts = {i}, ends = {i + 1};
  return Number(ops, argument, ops.slice(v, axes, starts, ends), like);
}

// The parameter nearest to `prox` under penalties l1 |p| + l2 / 2 p^2, which
// count as much as the rate says.
template <typename Ops, typename V>
V Proximal(Ops& ops, const V& prox, const V& rate, double l1, double l2) {
  V held = prox;
  if (l1 > 0) {
    const V rest = ops.subtract(ops.abs(prox), Times(ops, rate, l1));
    held =
        ops.multiply(ops.sign(prox), ops.maximum(rest, FullLike(ops, rest, 0)));
  }
  return ops.divide(held, Linear(ops, rate, l2, 1));
}

}  // namespace gradient_step

// One step along the mean of the last n gradients, whose sum is d.
template <typename Ops, typename V = typename Ops::Value>
void Asgd(Ops& ops, const V& param, const V& grad, const V& learning_rate,
          const V& d, const V& y, const V& n, V* param_out, V* d_out,
          V* y_out) {
  gradient_step::CheckLikeParam(ops, "grad", grad, param);
  gradient_step::CheckLikeParam(ops, "d", d, param);
  gradient_step::CheckLikeParam(ops, "y", y, param);
  const V wide = Widened(ops, param), slope = Widened(ops, grad);
  const V rate =
      gradient_step::Number(ops, "learning_rate", learning_rate, wide);
  const V count = gradient_step::Number(ops, "n", n, wide);
  const V sum = ops.add(ops.subtract(Widened(ops, d), Widened(ops, y)), slope);
  if (d_out != nullptr) *d_out = Narrowed(ops, sum, ops.dtype(d));
  if (y_out != nullptr) *y_out = ops.assign(grad);
  if (param_out == nullptr) return;
  const V step = ops.multiply(ops.divide(rate, count), sum);
  *param_out = Narrowed(ops, ops.subtract(wide, step), ops.dtype(param));
}

// One step by the gradient's signs, by a rate of each element's own.
template <typename Ops, typename V = typename Ops::Value>
void Rprop(Ops& ops, const V& param, const V& grad, const V& prev,
           const V& learning_rate, const V& learning_rate_range, const V& etas,
           V* param_out, V* prev_out, V* learning_rate_out) {
  gradient_step::CheckLikeParam(ops, "grad", grad, param);
  gradient_step::CheckLikeParam(ops, "prev", prev, param);
  gradient_step::CheckLikeParam(ops, "learning_rate", learning_rate, param);
  const V wide = Widened(ops, param), rates = Widened(ops, learning_rate);
  const auto of = [&](const char* name, const V& list, int64_t i) {
    return gradient_step::OfTwo(ops, name, list, i, rates);
  };
  const V product = ops.multiply(Widened(ops, grad), Widened(ops, prev));
  const V zero = FullLike(ops, product, 0);
  const V turned = ops.less_than(product, zero);
  const V shrunk = ops.multiply(rates, of("etas", etas, 0));
  const V grown = ops.multiply(rates, of("etas", etas, 1));
  const V next = ops.where(ops.greater_than(product, zero), grown,
                           ops.where(turned, shrunk, rates));
  const V least = of("learning_rate_range", learning_rate_range, 0);
  const V most = of("learning_rate_range", learning_rate_range, 1);
  const V held = ops.minimum(ops.maximum(next, least), most);
  const V slope = ops.where(turned, FullLike(ops, grad, 0), grad);
  if (prev_out != nullptr) *prev_out = slope;
  if (learning_rate_out != nullptr) {
    *learning_rate_out = Narrowed(ops, held, ops.dtype(learning_rate));
  }
  if (param_out == nullptr) return;
  const V step = ops.multiply(ops.sign(Widened(ops, slope)), held);
  *param_out = Narrowed(ops, ops.subtract(wide, step), ops.dtype(param));
}

// One step along a gradient that is shortened to `clip` and blurred.
template <typename Ops, typename V = typename Ops::Value>
void Dpsgd(Ops& ops, const V& param, const V& grad, const V& learning_rate,
           const V& rng, double clip, double batch_size, double sigma,
           int64_t stream, V* param_out) {
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
  const V wide = Widened(ops, param), slope = Widened(ops, grad);
  const V rate =
      gradient_step::Number(ops, "learning_rate", learning_rate, wide);
  const std::vector<int64_t> all;
  const V norm =
      ops.sqrt(ops.sum(ops.square(slope), all, DataType::kUndefined, false));
  const V limit = FullLike(ops, norm, clip);
  const V shorter =
      ops.divide(ops.multiply(slope, limit), ops.maximum(norm, limit));
  const V noise =
      Times(ops, ops.gaussian(rng, all, 0.0, sigma, ops.dtype(wide), stream),
            1 / batch_size);
  const V step = ops.multiply(rate, ops.add(shorter, noise));
  *param_out = Narrowed(ops, ops.subtract(wide, step), ops.dtype(param));
}

// One step of gradient descent and then to the nearest parameter under
// penalties.
template <typename Ops, typename V = typename Ops::Value>
void ProximalGd(Ops& ops, const V& param, const V& grad, const V& learning_rate,
                double l1, double l2, V* param_out) {
  if (param_out == nullptr) return;
  gradient_step::CheckLikeParam(ops, "grad", grad, param);
  const V wide = Widened(ops, param);
  const V rate =
      gradient_step::Number(ops, "learning_rate", learning_rate, wide);
  const V prox = ops.subtract(wide, ops.multiply(rate, Widened(ops, grad)));
  *param_out = Narrowed(ops, gradient_step::Proximal(ops, prox, rate, l1, l2),
                        ops.dtype(param));
}

// Takes a proximal step, as above, at Adagrad's rate.
template <typename Ops, typename V = typename Ops::Value>
void ProximalAdagrad(Ops& ops, const V& param, const V& grad, const V& moment,
                     const V& learning_rate, double l1, double l2, V* param_out,
                     V* moment_out) {
  gradient_step::CheckLikeParam(ops, "grad", grad, param);
  gradient_step::CheckLikeParam(ops, "moment", moment, param);
  const V wide = Widened(ops, param), slope = Widened(ops, grad);
  const V rate =
      gradient_step::Number(ops, "learning_rate", learning_rate, wide);
  const V sum = ops.add(Widened(ops, moment), ops.square(slope));
  if (moment_out != nullptr) {
    *moment_out = Narrowed(ops, sum, ops.dtype(moment));
  }
  if (param_out == nullptr) return;
  // An element whose gradients were all 0 stays where it is.
  const V zero = FullLike(ops, sum, 0);
  const V root =
      ops.sqrt(ops.where(ops.equal(sum, zero), FullLike(ops, sum, 1), sum));
  const V prox =
      ops.subtract(wide, ops.divide(ops.multiply(rate, slope), root));
  *param_out = Narrowed(ops, gradient_step::Proximal(ops, prox, rate, l1, l2),
                        ops.dtype(param));
}

// One step of momentum by a gradient that has slices of the parameter alone.
template <typename Ops, typename V = typename Ops::Value>
void SparseMomentum(Ops& ops, const V& param, const V& grad, const V& velocity,
                    const V& index, const V& learning_rate, double mu,
                    bool use_nesterov, std::string_view regularization_method,
                    double regularization_coeff, double rescale_grad,
                    AttrArg<int> axis, V* param_out, V* velocity_out) {
  gradient_step::CheckLikeParam(ops, "velocity", velocity, param);
  if (!regularization_method.empty() && regularization_method != "l2_decay") {
    return ops.Fail(ArgumentError("regularization_method",
                                  "\"\" or \"l2_decay\"",
                                  Quoted(regularization_method)));
  }
  const V wide = Widened(ops, param);
  const V rate =
      gradient_step::Number(ops, "learning_rate", learning_rate, wide);
  V slope = ops.index_add(FullLike(ops, wide, 0), index, Widened(ops, grad),
                          axis.value());
  if (rescale_grad != 1) slope = Times(ops, slope, rescale_grad);
  if (!regularization_method.empty()) {
    slope = ops.add(slope, Times(ops, wide, regularization_coeff));
  }
  const V next = ops.add(Times(ops, Widened(ops, velocity), mu), slope);
  if (velocity_out != nullptr) {
    *velocity_out = Narrowed(ops, next, ops.dtype(velocity));
  }
  if (param_out == nullptr) return;
  const V way = use_nesterov ? ops.add(slope, Times(ops, next, mu)) : next;
  *param_out = Narrowed(ops, ops.subtract(wide, ops.multiply(rate, way)),
                        ops.dtype(param));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_GRADIENT_STEP_H_
