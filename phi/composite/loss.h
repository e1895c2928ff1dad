// SPDX-License-Identifier: Apache-2.0
// Losses of classes and rows, made of operators; those of single elements are
// in element_loss.h.
#ifndef SWITCHYARD_PHI_COMPOSITE_LOSS_H_
#define SWITCHYARD_PHI_COMPOSITE_LOSS_H_

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
#include "phi/composite/root.h"
#include "phi/composite/widening.h"

namespace switchyard::phi::composite {

// Parts of the composites below, not operators' composites themselves.
namespace loss {

// The sum over the last axis, which stays.
template <typename Ops, typename V>
V RowSum(Ops& ops, const V& v) {
  const int64_t last[] = {ops.shape(v).rank() - 1};
  return ops.sum(v, last, DataType::kUndefined, true);
}

// The extent of an axis as a number of the dtype of v, a scalar.
template <typename Ops, typename V>
V ExtentOf(Ops& ops, const V& v, int axis) {
  return ops.cast(ops.extent(v, axis), ops.dtype(v));
}

// v, of rank 2 or more, as a matrix of its first axis and all others.
template <typename Ops, typename V>
V AsRows(Ops& ops, const V& v, const char* argument) {
  const Shape shape = ops.shape(v);
  if (shape.rank() < 2) {
    ops.Fail(ArgumentError(argument, "of rank 2 or more", ToString(shape)));
  }
  return shape.rank() == 2 ? v : ops.flatten(v, 1, shape.rank() - 1);
}

// Class numbers, which are given with or without an axis of extent 1 in the
// place of the classes of x, and which of them count.
template <typename Ops, typename V>
struct Classes {
  V column;    // With that axis, 0 where it does not count.
  V counts;    // Likewise, bool.
  bool added;  // It was added.
};

template <typename Ops, typename V>
Classes<Ops, V> ClassesOf(Ops& ops, const V& x, const V& label, int axis,
                          int64_t ignore_index) {
  const Shape shape = ops.shape(x), given = ops.shape(label);
  if (axis < 0 || axis >= shape.rank()) {
    ops.Fail(ArgumentError("x",
                           "of rank " + std::to_string(axis + 1) + " or more",
                           ToString(shape)));
  }
  const bool added = given.rank() == shape.rank() - 1;
  if (!added &&
      (given.rank() != shape.rank() || !MayEqual(given[axis], Dim(1)))) {
    ops.Fail(ArgumentError("label",
                           "of the shape of x without axis " +
                               std::to_string(axis) +
                               ", or with extent 1 there",
                           ToString(given)));
  }
  const V column = added ? ops.unsqueeze(label, {int64_t{axis}}) : label;
  const auto filled = [&](int64_t value) {
    return ops.full_like(column, Scalar(value), DataType::kUndefined);
  };
  const V counts = ops.not_equal(column, filled(ignore_index));
  return {ops.where(counts, column, filled(0)), counts, added};
}

// Returns what x has at the classes; 1 where they don't count.
template <typename Ops, typename V>
V AtClasses(Ops& ops, const V& x, const Classes<Ops, V>& classes, int axis) {
  const V found = ops.take_along_axis(x, classes.column, axis);
  return ops.where(classes.counts, found, FullLike(ops, found, 1));
}

// Minus the logarithm; that of 0 is a large number, as in Paddle.
template <typename Ops, typename V>
V MinusLog(Ops& ops, const V& v) {
  constexpr double kLargest = 1e20;
  const V minus = Times(ops, ops.log(v), -1);
  return ops.clip(minus, Scalar(-kLargest), Scalar(kLargest));
}

// The gradient of x that -log x at the classes has.
template <typename Ops, typename V>
V AtClassesGrad(Ops& ops, const V& x, const Classes<Ops, V>& classes,
                const V& found, const V& out_grad) {
  const int last = ops.shape(x).rank() - 1;
  const V grad =
      classes.added ? ops.unsqueeze(out_grad, {int64_t{last}}) : out_grad;
  const V slope = Times(ops, ops.divide(grad, found), -1);
  const V put = ops.where(classes.counts, slope, FullLike(ops, slope, 0));
  return ops.put_along_axis(FullLike(ops, x, 0), classes.column, put, last,
                            "assign");
}

// Ends the composite unless it is a name that a loss takes.
template <typename Ops>
void CheckReduction(Ops& ops, std::string_view reduction) {
  if (reduction == "none" || reduction == "sum" || reduction == "mean") return;
  ops.Fail(ArgumentError("reduction", "\"none\", \"sum\" or \"mean\"",
                         Quoted(reduction)));
}

}  // namespace loss

// The loss of probabilities.
template <typename Ops, typename V = typename Ops::Value>
void CrossEntropy(Ops& ops, const V& x, const V& label, bool soft_label,
                  int ignore_index, V* out) {
  if (out == nullptr) return;
  const int last = ops.shape(x).rank() - 1;
  if (soft_label) {
    *out = loss::RowSum(ops, ops.multiply(label, loss::MinusLog(ops, x)));
    return;
  }
  const auto classes = loss::ClassesOf(ops, x, label, last, ignore_index);
  *out = loss::MinusLog(ops, loss::AtClasses(ops, x, classes, last));
  if (classes.added) *out = ops.squeeze(*out, {int64_t{last}});
}

// Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void CrossEntropyGrad(Ops& ops, const V& x, const V& label, const V& out_grad,
                      bool soft_label, int ignore_index, V* x_grad) {
  if (x_grad == nullptr) return;
  if (soft_label) {
    *x_grad = Times(ops, ops.multiply(ops.divide(label, x), out_grad), -1);
    return;
  }
  const int last = ops.shape(x).rank() - 1;
  const auto classes = loss::ClassesOf(ops, x, label, last, ignore_index);
  *x_grad = loss::AtClassesGrad(
      ops, x, classes, loss::AtClasses(ops, x, classes, last), out_grad);
}

// The loss of probabilities, and those at the classes.
template <typename Ops, typename V = typename Ops::Value>
void CrossEntropy2(Ops& ops, const V& x, const V& label, int ignore_index,
                   V* out, V* match_x) {
  const int last = ops.shape(x).rank() - 1;
  const auto classes = loss::ClassesOf(ops, x, label, last, ignore_index);
  if (out != nullptr) {
    *out = ops.cross_entropy(x, label, /*soft_label=*/false, ignore_index);
  }
  if (match_x != nullptr) {
    const V found = loss::AtClasses(ops, x, classes, last);
    const V none = FullLike(ops, found, 0);
    *match_x = ops.where(classes.counts, found, none);
  }
}

template <typename Ops, typename V = typename Ops::Value>
void CrossEntropy2Grad(Ops& ops, const V& x, const V& label, const V& match_x,
                       const V& out_grad, int ignore_index, V* x_grad) {
  if (x_grad == nullptr) return;
  const int last = ops.shape(x).rank() - 1;
  const auto classes = loss::ClassesOf(ops, x, label, last, ignore_index);
  const V safe = ops.where(classes.counts, match_x, FullLike(ops, match_x, 1));
  *x_grad = loss::AtClassesGrad(ops, x, classes, safe, out_grad);
}

// Minus the logarithms of probabilities at the classes, on axis 1.
template <typename Ops, typename V = typename Ops::Value>
void NllLoss(Ops& ops, const V& input, const V& label, const V& weight,
             int64_t ignore_index, std::string_view reduction, V* out,
             V* total_weight) {
  loss::CheckReduction(ops, reduction);
  const auto classes = loss::ClassesOf(ops, input, label, 1, ignore_index);
  // Ignored ones may be of any value.
  const V taken = ops.take_along_axis(input, classes.column, 1);
  const V found = ops.where(classes.counts, taken, FullLike(ops, taken, 0));
  V share;
  if (ops.defined(weight)) {
    const int64_t after[] = {ops.shape(classes.column).rank()};
    share = ops.gather_nd(weight, ops.unsqueeze(classes.column, after));
  } else {
    share = FullLike(ops, found, 1);
  }
  share = ops.where(classes.counts, share, FullLike(ops, share, 0));
  const V one = Times(ops, ops.multiply(found, share), -1);
  if (reduction == "none") {
    const V each = classes.added ? ops.squeeze(one, {int64_t{1}}) : one;
    if (out != nullptr) *out = each;
    if (total_weight != nullptr) {
      const V sum = ops.sum(each, {}, DataType::kUndefined, false);
      *total_weight = FullLike(ops, sum, 0);
    }
    return;
  }
  const V total = ops.sum(share, {}, DataType::kUndefined, false);
  if (total_weight != nullptr) *total_weight = total;
  if (out == nullptr) return;
  *out = ops.sum(one, {}, DataType::kUndefined, false);
  if (reduction == "sum") return;
  // Where nothing counts the sum is 0, and so is the mean.
  const V nothing = ops.equal(total, FullLike(ops, total, 0));
  const V by = ops.where(nothing, FullLike(ops, total, 1), total);
  *out = ops.divide(*out, by);
}

// Labels between their own values and a distribution.
template <typename Ops, typename V = typename Ops::Value>
void LabelSmooth(Ops& ops, const V& label, const V& prior_dist, double epsilon,
                 V* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(label);
  if (shape.rank() < 1) {
    return ops.Fail(
        ArgumentError("label", "of rank 1 or more", ToString(shape)));
  }
  const V kept = Times(ops, label, 1.0 - epsilon);
  if (ops.defined(prior_dist)) {
    *out = ops.add(kept, Times(ops, prior_dist, epsilon));
    return;
  }
  const V classes = loss::ExtentOf(ops, label, shape.rank() - 1);
  *out = ops.add(kept, ops.divide(FullLike(ops, classes, epsilon), classes));
}

// The cosine of the angle between rows; 0 where one is of zeros.
template <typename Ops, typename V = typename Ops::Value>
void CosSim(Ops& ops, const V& x, const V& y, V* out, V* x_norm, V* y_norm) {
  const V a = Widened(ops, loss::AsRows(ops, x, "x"));
  const V b = Widened(ops, loss::AsRows(ops, y, "y"));
  const auto length = [&](const V& rows) {
    return RootOfSum(ops, loss::RowSum(ops, ops.multiply(rows, rows)));
  };
  const V a_norm = length(a), b_norm = length(b);
  if (out != nullptr) {
    const V product = loss::RowSum(ops, ops.multiply(a, b));
    const V lengths = ops.multiply(a_norm, b_norm);
    const V none = ops.equal(lengths, FullLike(ops, lengths, 0));
    const V held = ops.where(none, FullLike(ops, lengths, 1), lengths);
    *out = Narrowed(ops, ops.divide(product, held), ops.dtype(x));
  }
  if (x_norm != nullptr) *x_norm = Narrowed(ops, a_norm, ops.dtype(x));
  if (y_norm != nullptr) *y_norm = Narrowed(ops, b_norm, ops.dtype(x));
}

// The loss of RankNet.
template <typename Ops, typename V = typename Ops::Value>
void RankLoss(Ops& ops, const V& label, const V& left, const V& right, V* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(label);
  const auto like_label = [&](const V& v) {
    const bool same = MayEqual(ops.shape(v), shape);
    return same ? v : ReshapeLike(ops, v, label, "label");
  };
  const V difference = ops.subtract(like_label(left), like_label(right));
  const V low = ops.logsigmoid(Times(ops, difference, -1));
  *out = ops.subtract(Times(ops, low, -1), ops.multiply(label, difference));
}

// max(0, -label * (x1 - x2) + margin), and where it is above 0.
template <typename Ops, typename V = typename Ops::Value>
void MarginRankLoss(Ops& ops, const V& label, const V& x1, const V& x2,
                    double margin, V* out, V* activated) {
  const V product = ops.multiply(label, ops.subtract(x1, x2));
  const V value = ops.relu(Linear(ops, product, -1, margin));
  if (out != nullptr) *out = value;
  if (activated != nullptr) {
    const V above = ops.greater_than(value, FullLike(ops, value, 0));
    *activated = ops.cast(above, ops.dtype(value));
  }
}

// For each row the mean of log(1 + exp(x[j] - x[label])) over the other j: the
// label's own part is the logarithm of 2.
template <typename Ops, typename V = typename Ops::Value>
void BprLoss(Ops& ops, const V& x, const V& label, V* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(x);
  if (shape.rank() < 1) {
    return ops.Fail(ArgumentError("x", "of rank 1 or more", ToString(shape)));
  }
  constexpr double kLogarithmOf2 = 0.6931471805599453;
  const int last = shape.rank() - 1;
  const V own = ops.take_along_axis(x, label, last);
  const V all = loss::RowSum(ops, ops.logsigmoid(ops.subtract(own, x)));
  const V others = Linear(ops, all, -1, -kLogarithmOf2);
  const V count = Linear(ops, loss::ExtentOf(ops, x, last), 1, -1);
  *out = ops.divide(others, count);
}

// The gradient of cross_entropy_with_softmax. The softmax is computed again
// from `input`, since that which the operator saves has no gradient; without
// `input` (a program from outside) it is a constant. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void CrossEntropyWithSoftmaxGrad(Ops& ops, const V& label, const V& softmax,
                                 const V& loss_grad, const V& input,
                                 bool soft_label, bool use_softmax,
                                 bool /*numeric_stable_mode*/, int ignore_index,
                                 int axis, V* input_grad) {
  const int rank = ops.shape(softmax).rank();
  const int along = axis < 0 ? axis + rank : axis;
  V probability = softmax;
  if (ops.defined(input)) {
    probability = use_softmax ? ops.softmax(input, along) : input;
  }
  // The shares of the classes, their sum, and what counts of the gradient.
  V shares = label, total = loss_grad, grad = loss_grad;
  if (soft_label) {
    total = ops.sum(label, {int64_t{along}}, DataType::kUndefined, true);
  } else {
    const auto classes =
        loss::ClassesOf(ops, softmax, label, along, ignore_index);
    total = FullLike(ops, loss_grad, 1);
    shares = ops.put_along_axis(FullLike(ops, softmax, 0),
                                ops.cast(classes.column, DataType::kInt64),
                                total, along, "assign");
    grad = ops.where(classes.counts, loss_grad, FullLike(ops, loss_grad, 0));
  }
  if (use_softmax) {
    *input_grad = ops.multiply(
        grad, ops.subtract(ops.multiply(probability, total), shares));
    return;
  }
  // A share of 0 adds nothing, whatever the probability.
  const V nothing = ops.equal(shares, FullLike(ops, shares, 0));
  const V divisor = ops.where(nothing, FullLike(ops, shares, 1), probability);
  *input_grad = Times(ops, ops.multiply(grad, ops.divide(shares, divisor)), -1);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_LOSS_H_
