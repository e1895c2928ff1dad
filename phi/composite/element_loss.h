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
#include "phi/composite/elements.h"

namespace switchyard::phi::composite {

// Parts of the composites below, not operators' composites themselves.
namespace element_loss {

// Ends the composite if v certainly has another shape than `like`.
template <typename Ops, typename V>
void CheckLike(Ops& ops, const char* argument, const V& v, const V& like) {
  const Shape shape = ops.shape(v), expected = ops.shape(like);
  if (MayEqual(shape, expected)) return;
  ops.Fail(ArgumentError(argument, "of shape " + ToString(expected),
                         ToString(shape)));
}

// v * weight, if that is given.
template <typename Ops, typename V>
V Weighted(Ops& ops, const V& v, const V& weight) {
  return ops.defined(weight) ? ops.multiply(v, weight) : v;
}

// Zeroes the losses of elements labelled `ignore_index`, and divides the others
// by their number where `normalize`; of gradients likewise.
template <typename Ops, typename V>
V OfCounted(Ops& ops, const V& v, const V& label, bool normalize,
            int ignore_index) {
  const V counts =
      ops.not_equal(label, FullLike(ops, label, double(ignore_index)));
  const V kept = ops.where(counts, v, FullLike(ops, v, 0));
  if (!normalize) return kept;
  constexpr double kTiny = 1e-5;
  const V count =
      ops.sum(ops.cast(counts, ops.dtype(v)), {}, DataType::kUndefined, false);
  return ops.divide(kept, ops.maximum(count, FullLike(ops, count, kTiny)));
}

}  // namespace element_loss

// The smooth L1 loss of rows, and the weighted differences.
template <typename Ops, typename V = typename Ops::Value>
void SmoothL1Loss(Ops& ops, const V& x, const V& y, const V& inside_weight,
                  const V& outside_weight, double sigma, V* out, V* diff) {
  const Shape shape = ops.shape(x);
  if (shape.rank() < 2) {
    return ops.Fail(ArgumentError("x", "of rank 2 or more", ToString(shape)));
  }
  element_loss::CheckLike(ops, "y", y, x);
  const double square = sigma * sigma;
  const V d = element_loss::Weighted(ops, ops.subtract(x, y), inside_weight);
  if (diff != nullptr) *diff = d;
  if (out == nullptr) return;
  const V size = ops.abs(d);
  const V near = ops.less_than(size, FullLike(ops, size, 1 / square));
  const V parabola = Times(ops, ops.multiply(d, d), 0.5 * square);
  const V line = Linear(ops, size, 1, -0.5 / square);
  const V terms = element_loss::Weighted(ops, ops.where(near, parabola, line),
                                         outside_weight);
  const V rows =
      shape.rank() == 2 ? terms : ops.flatten(terms, 1, shape.rank() - 1);
  *out = ops.sum(rows, {int64_t{1}}, DataType::kUndefined, true);
}

// Differentiable again in out_grad.
template <typename Ops, typename V = typename Ops::Value>
void SmoothL1LossGrad(Ops& ops, const V& inside_weight, const V& outside_weight,
                      const V& diff, const V& out_grad, double sigma, V* x_grad,
                      V* y_grad) {
  const double square = sigma * sigma;
  V slope = ops.clip(Times(ops, diff, square), Scalar(-1.0), Scalar(1.0));
  slope = element_loss::Weighted(ops, slope, inside_weight);
  slope = element_loss::Weighted(ops, slope, outside_weight);
  std::vector<int64_t> added;
  for (int64_t i = 2; i < ops.shape(diff).rank(); ++i) added.push_back(i);
  const V rows = added.empty() ? out_grad : ops.unsqueeze(out_grad, added);
  const V grad = ops.multiply(slope, rows);
  if (x_grad != nullptr) *x_grad = grad;
  if (y_grad != nullptr) *y_grad = Times(ops, grad, -1);
}

// A parabola near 0, lines beyond.
template <typename Ops, typename V = typename Ops::Value>
void HuberLoss(Ops& ops, const V& input, const V& label, double delta, V* out,
               V* residual) {
  element_loss::CheckLike(ops, "label", label, input);
  const V rest = ops.subtract(label, input);
  if (residual != nullptr) *residual = rest;
  if (out == nullptr) return;
  const V size = ops.abs(rest);
  const V near = ops.less_equal(size, FullLike(ops, size, delta));
  const V parabola = Times(ops, ops.multiply(rest, rest), 0.5);
  const V line = Linear(ops, size, delta, -0.5 * delta * delta);
  *out = ops.where(near, parabola, line);
}

// Differentiable again in out_grad.
template <typename Ops, typename V = typename Ops::Value>
void HuberLossGrad(Ops& ops, const V& residual, const V& out_grad, double delta,
                   V* input_grad, V* label_grad) {
  const V slope = ops.clip(residual, Scalar(-delta), Scalar(delta));
  const V grad = ops.multiply(slope, out_grad);
  if (label_grad != nullptr) *label_grad = grad;
  if (input_grad != nullptr) {
    *input_grad = Times(ops, grad, -1);
  }
}

// The logarithmic loss of probabilities.
template <typename Ops, typename V = typename Ops::Value>
void LogLoss(Ops& ops, const V& input, const V& label, double epsilon, V* out) {
  if (out == nullptr) return;
  element_loss::CheckLike(ops, "label", label, input);
  const V yes = ops.log(Linear(ops, input, 1, epsilon));
  const V no = ops.log(Linear(ops, input, -1, 1 + epsilon));
  const V minus_label = Times(ops, label, -1);
  const V rest = Linear(ops, label, -1, 1);
  *out = ops.subtract(ops.multiply(minus_label, yes), ops.multiply(rest, no));
}

// Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void LogLossGrad(Ops& ops, const V& input, const V& label, const V& out_grad,
                 double epsilon, V* input_grad) {
  if (input_grad == nullptr) return;
  const V yes = ops.divide(label, Linear(ops, input, 1, epsilon));
  const V no = ops.divide(Linear(ops, label, -1, 1),
                          Linear(ops, input, -1, 1 + epsilon));
  *input_grad = ops.multiply(out_grad, ops.subtract(no, yes));
}

// The gradient of bce_loss: g (input - label) / (input (1 - input)), of a
// divisor of 1e-12 at least. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void BceLossGrad(Ops& ops, const V& input, const V& label, const V& out_grad,
                 V* input_grad) {
  if (input_grad == nullptr) return;
  constexpr double kLeast = 1e-12;
  const V product = ops.multiply(input, Linear(ops, input, -1, 1));
  const V divisor = ops.maximum(product, FullLike(ops, product, kLeast));
  const V slope = ops.divide(ops.subtract(input, label), divisor);
  *input_grad = ops.multiply(out_grad, slope);
}

// The cross entropy of sigmoid(x), without its overflows: (1 - label) * x +
// weight * log(1 + exp(-x)), where weight is 1 + (pos_weight - 1) * label.
template <typename Ops, typename V = typename Ops::Value>
void SigmoidCrossEntropyWithLogits(Ops& ops, const V& x, const V& label,
                                   const V& pos_weight, bool normalize,
                                   int ignore_index, V* out) {
  if (out == nullptr) return;
  element_loss::CheckLike(ops, "label", label, x);
  const V size = ops.abs(x);
  const V small = ops.log1p(ops.exp(Times(ops, size, -1)));
  const V minus_x = Times(ops, x, -1);
  V low = ops.add(small, ops.maximum(minus_x, FullLike(ops, minus_x, 0)));
  if (ops.defined(pos_weight)) {
    const V more = Linear(ops, pos_weight, 1, -1);
    low = ops.multiply(low, Linear(ops, ops.multiply(more, label), 1, 1));
  }
  const V rest = Linear(ops, label, -1, 1);
  *out = element_loss::OfCounted(ops, ops.add(ops.multiply(rest, x), low),
                                 label, normalize, ignore_index);
}

// Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void SigmoidCrossEntropyWithLogitsGrad(Ops& ops, const V& x, const V& label,
                                       const V& pos_weight, const V& out_grad,
                                       bool normalize, int ignore_index,
                                       V* x_grad) {
  if (x_grad == nullptr) return;
  V slope = ops.subtract(ops.sigmoid(x), label);
  if (ops.defined(pos_weight)) {
    const V more = ops.multiply(Linear(ops, pos_weight, 1, -1), label);
    const V low = Linear(ops, ops.sigmoid(x), 1, -1);
    slope = ops.add(slope, ops.multiply(more, low));
  }
  *x_grad = element_loss::OfCounted(ops, ops.multiply(slope, out_grad), label,
                                    normalize, ignore_index);
}

// The divergence of `label` from the distribution with the logarithms x.
template <typename Ops, typename V = typename Ops::Value>
void KldivLoss(Ops& ops, const V& x, const V& label, std::string_view reduction,
               bool log_target, V* out) {
  if (out == nullptr) return;
  const bool none = reduction == "none", batch = reduction == "batchmean";
  if (!none && !batch && reduction != "sum" && reduction != "mean") {
    return ops.Fail(ArgumentError(
        "reduction", "\"none\", \"sum\", \"mean\" or \"batchmean\"",
        Quoted(reduction)));
  }
  const Shape shape = ops.shape(x);
  if (batch && shape.rank() < 1) {
    return ops.Fail(ArgumentError("x", "of rank 1 or more", ToString(shape)));
  }
  V terms;
  if (log_target) {
    terms = ops.multiply(ops.exp(label), ops.subtract(label, x));
  } else {
    const V nothing = FullLike(ops, label, 0);
    const V counts = ops.greater_than(label, nothing);
    const V safe = ops.where(counts, label, FullLike(ops, label, 1));
    const V product = ops.multiply(label, ops.subtract(ops.log(safe), x));
    terms = ops.where(counts, product, FullLike(ops, product, 0));
  }
  if (none) {
    *out = terms;
  } else if (reduction == "mean") {
    *out = ops.mean(terms, {}, false);
  } else {
    *out = ops.sum(terms, {}, DataType::kUndefined, false);
    if (batch) {
      const V count = ops.cast(ops.extent(x, 0), ops.dtype(*out));
      *out = ops.divide(*out, count);
    }
  }
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_ELEMENT_LOSS_H_
