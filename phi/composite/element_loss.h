// SPDX-License-Identifier: Apache-2.0
// Losses whose terms belong to single elements, and gradients, made of
// operators; those of classes and rows are in loss.h.
#ifndef SWITCHYARD_PHI_COMPOSITE_ELEMENT_LOSS_H_
#define SWITCHYARD_PHI_COMPOSITE_ELEMENT_LOSS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/quoted.h"
#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_element_loss.h"
#include "phi/composite/elements.h"
#include "phi/composite/ops.h"
#include "phi/composite/widening.h"

namespace switchyard::phi::composite {

// Parts of the composites below, not operators' composites themselves.
namespace element_loss {

// Ends the composite if v certainly has another shape than `like`.
inline void CheckLike(Ops& ops, const char* argument, const Value& v,
                      const Value& like) {
  const Shape shape = ops.shape(v), expected = ops.shape(like);
  if (MayEqual(shape, expected)) return;
  ops.Fail(ArgumentError(argument, "of shape " + ToString(expected),
                         ToString(shape)));
}

// v * weight, if that is given.
inline Value Weighted(Ops& ops, const Value& v, const Value& weight) {
  return ops.defined(weight) ? op::multiply(ops, v, weight) : v;
}

// Zeroes the losses of elements labelled `ignore_index`, and divides the others
// by their number where `normalize`; of gradients likewise.
inline Value OfCounted(Ops& ops, const Value& v, const Value& label,
                       bool normalize, int ignore_index) {
  const Value counts =
      op::not_equal(ops, label, FullLike(ops, label, double(ignore_index)));
  const Value kept = op::where(ops, counts, v, FullLike(ops, v, 0));
  if (!normalize) return kept;
  constexpr double kTiny = 1e-5;
  const Value count = op::sum(ops, op::cast(ops, counts, ops.dtype(v)), {},
                              DataType::kUndefined, false);
  return op::divide(ops, kept,
                    op::maximum(ops, count, FullLike(ops, count, kTiny)));
}

}  // namespace element_loss

// The smooth L1 loss of rows, and the weighted differences.
inline void SmoothL1Loss(Ops& ops, const Value& x, const Value& y,
                         const Value& inside_weight,
                         const Value& outside_weight, double sigma, Value* out,
                         Value* diff) {
  const Shape shape = ops.shape(x);
  if (shape.rank() < 2) {
    return ops.Fail(ArgumentError("x", "of rank 2 or more", ToString(shape)));
  }
  element_loss::CheckLike(ops, "y", y, x);
  const double square = sigma * sigma;
  const auto weighted = [&ops](const Value& v, const Value& weight) {
    return element_loss::Weighted(
        ops, v, ops.defined(weight) ? Widened(ops, weight) : weight);
  };
  const Value d = weighted(op::subtract(ops, Widened(ops, x), Widened(ops, y)),
                           inside_weight);
  const DataType dtype = ops.dtype(x);
  if (diff != nullptr) *diff = Narrowed(ops, d, dtype);
  if (out == nullptr) return;
  const Value size = op::abs(ops, d);
  const Value near = op::less_than(ops, size, FullLike(ops, size, 1 / square));
  const Value parabola = Times(ops, op::multiply(ops, d, d), 0.5 * square);
  const Value line = Linear(ops, size, 1, -0.5 / square);
  const Value terms =
      weighted(op::where(ops, near, parabola, line), outside_weight);
  const Value rows =
      shape.rank() == 2 ? terms : op::flatten(ops, terms, 1, shape.rank() - 1);
  *out = Narrowed(
      ops, op::sum(ops, rows, {int64_t{1}}, DataType::kUndefined, true), dtype);
}

// Differentiable again in out_grad.
inline void SmoothL1LossGrad(Ops& ops, const Value& inside_weight,
                             const Value& outside_weight, const Value& diff,
                             const Value& out_grad, double sigma, Value* x_grad,
                             Value* y_grad) {
  const double square = sigma * sigma;
  Value slope =
      op::clip(ops, Times(ops, diff, square), Scalar(-1.0), Scalar(1.0));
  slope = element_loss::Weighted(ops, slope, inside_weight);
  slope = element_loss::Weighted(ops, slope, outside_weight);
  std::vector<int64_t> added;
  for (int64_t i = 2; i < ops.shape(diff).rank(); ++i) added.push_back(i);
  const Value rows =
      added.empty() ? out_grad : op::unsqueeze(ops, out_grad, added);
  const Value grad = op::multiply(ops, slope, rows);
  if (x_grad != nullptr) *x_grad = grad;
  if (y_grad != nullptr) *y_grad = Times(ops, grad, -1);
}

// A parabola near 0, lines beyond.
inline void HuberLoss(Ops& ops, const Value& input, const Value& label,
                      double delta, Value* out, Value* residual) {
  element_loss::CheckLike(ops, "label", label, input);
  const Value rest = op::subtract(ops, label, input);
  if (residual != nullptr) *residual = rest;
  if (out == nullptr) return;
  const Value size = op::abs(ops, rest);
  const Value near = op::less_equal(ops, size, FullLike(ops, size, delta));
  const Value parabola = Times(ops, op::multiply(ops, rest, rest), 0.5);
  const Value line = Linear(ops, size, delta, -0.5 * delta * delta);
  *out = op::where(ops, near, parabola, line);
}

// Differentiable again in out_grad.
inline void HuberLossGrad(Ops& ops, const Value& residual,
                          const Value& out_grad, double delta,
                          Value* input_grad, Value* label_grad) {
  const Value slope = op::clip(ops, residual, Scalar(-delta), Scalar(delta));
  const Value grad = op::multiply(ops, slope, out_grad);
  if (label_grad != nullptr) *label_grad = grad;
  if (input_grad != nullptr) {
    *input_grad = Times(ops, grad, -1);
  }
}

// The logarithmic loss of probabilities.
inline void LogLoss(Ops& ops, const Value& input, const Value& label,
                    double epsilon, Value* out) {
  if (out == nullptr) return;
  element_loss::CheckLike(ops, "label", label, input);
  const Value yes = op::log(ops, Linear(ops, input, 1, epsilon));
  const Value no = op::log(ops, Linear(ops, input, -1, 1 + epsilon));
  const Value minus_label = Times(ops, label, -1);
  const Value rest = Linear(ops, label, -1, 1);
  *out = op::subtract(ops, op::multiply(ops, minus_label, yes),
                      op::multiply(ops, rest, no));
}

// Differentiable again.
inline void LogLossGrad(Ops& ops, const Value& input, const Value& label,
                        const Value& out_grad, double epsilon,
                        Value* input_grad) {
  if (input_grad == nullptr) return;
  const Value yes = op::divide(ops, label, Linear(ops, input, 1, epsilon));
  const Value no = op::divide(ops, Linear(ops, label, -1, 1),
                              Linear(ops, input, -1, 1 + epsilon));
  *input_grad = op::multiply(ops, out_grad, op::subtract(ops, no, yes));
}

// The gradient of bce_loss: g (input - label) / (input (1 - input)), of a
// divisor of 1e-12 at least. Differentiable again.
inline void BceLossGrad(Ops& ops, const Value& input, const Value& label,
                        const Value& out_grad, Value* input_grad) {
  if (input_grad == nullptr) return;
  constexpr double kLeast = 1e-12;
  const Value product = op::multiply(ops, input, Linear(ops, input, -1, 1));
  const Value divisor =
      op::maximum(ops, product, FullLike(ops, product, kLeast));
  const Value slope = op::divide(ops, op::subtract(ops, input, label), divisor);
  *input_grad = op::multiply(ops, out_grad, slope);
}

// The cross entropy of sigmoid(x), without its overflows: (1 - label) * x +
// weight * log(1 + exp(-x)), where weight is 1 + (pos_weight - 1) * label.
inline void SigmoidCrossEntropyWithLogits(Ops& ops, const Value& given,
                                          const Value& target,
                                          const Value& pos_weight,
                                          bool normalize, int ignore_index,
                                          Value* out) {
  if (out == nullptr) return;
  element_loss::CheckLike(ops, "label", target, given);
  const Value x = Widened(ops, given), label = Widened(ops, target);
  // The parts of both labels apart: x and a softplus of it cancel.
  const Value none = FullLike(ops, x, 0);
  Value small = op::log1p(ops, op::exp(ops, Times(ops, op::abs(ops, x), -1)));
  Value below =
      op::multiply(ops, label, op::maximum(ops, Times(ops, x, -1), none));
  if (ops.defined(pos_weight)) {
    const Value weight = Widened(ops, pos_weight);
    const Value more = Linear(ops, weight, 1, -1);
    small = op::multiply(ops, small,
                         Linear(ops, op::multiply(ops, more, label), 1, 1));
    below = op::multiply(ops, below, weight);
  }
  const Value above =
      op::multiply(ops, Linear(ops, label, -1, 1), op::maximum(ops, x, none));
  const Value loss = op::add(ops, op::add(ops, above, below), small);
  *out = Narrowed(
      ops, element_loss::OfCounted(ops, loss, label, normalize, ignore_index),
      ops.dtype(given));
}

// Differentiable again.
inline void SigmoidCrossEntropyWithLogitsGrad(
    Ops& ops, const Value& x, const Value& label, const Value& pos_weight,
    const Value& out_grad, bool normalize, int ignore_index, Value* x_grad) {
  if (x_grad == nullptr) return;
  Value slope = op::subtract(ops, op::sigmoid(ops, x), label);
  if (ops.defined(pos_weight)) {
    const Value more = op::multiply(ops, Linear(ops, pos_weight, 1, -1), label);
    const Value low = Linear(ops, op::sigmoid(ops, x), 1, -1);
    slope = op::add(ops, slope, op::multiply(ops, more, low));
  }
  *x_grad = element_loss::OfCounted(ops, op::multiply(ops, slope, out_grad),
                                    label, normalize, ignore_index);
}

// The divergence of `label` from the distribution with the logarithms x.
inline void KldivLoss(Ops& ops, const Value& given, const Value& target,
                      std::string_view reduction, bool log_target, Value* out) {
  if (out == nullptr) return;
  const bool none = reduction == "none", batch = reduction == "batchmean";
  if (!none && !batch && reduction != "sum" && reduction != "mean") {
    return ops.Fail(ArgumentError(
        "reduction", "\"none\", \"sum\", \"mean\" or \"batchmean\"",
        Quoted(reduction)));
  }
  const Value x = Widened(ops, given), label = Widened(ops, target);
  const Shape shape = ops.shape(x);
  if (batch && shape.rank() < 1) {
    return ops.Fail(ArgumentError("x", "of rank 1 or more", ToString(shape)));
  }
  Value terms;
  if (log_target) {
    terms = op::multiply(ops, op::exp(ops, label), op::subtract(ops, label, x));
  } else {
    const Value nothing = FullLike(ops, label, 0);
    const Value counts = op::greater_than(ops, label, nothing);
    const Value safe = op::where(ops, counts, label, FullLike(ops, label, 1));
    const Value product =
        op::multiply(ops, label, op::subtract(ops, op::log(ops, safe), x));
    terms = op::where(ops, counts, product, FullLike(ops, product, 0));
  }
  if (none) {
    *out = terms;
  } else if (reduction == "mean") {
    *out = op::mean(ops, terms, {}, false);
  } else {
    *out = op::sum(ops, terms, {}, DataType::kUndefined, false);
    if (batch) {
      const Value count = op::cast(ops, op::extent(ops, x, 0), ops.dtype(*out));
      *out = op::divide(ops, *out, count);
    }
  }
  *out = Narrowed(ops, *out, ops.dtype(given));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_ELEMENT_LOSS_H_
