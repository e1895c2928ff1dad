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
#include "phi/composite/calls/of_loss.h"
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"
#include "phi/composite/ops.h"
#include "phi/composite/root.h"
#include "phi/composite/widening.h"

namespace switchyard::phi::composite {

// Parts of the composites below, not operators' composites themselves.
namespace loss {

// The sum over the last axis, which stays.
inline Value RowSum(Ops& ops, const Value& v) {
  const int64_t last[] = {ops.shape(v).rank() - 1};
  return op::sum(ops, v, last, DataType::kUndefined, true);
}

// The extent of an axis as a number of the dtype of v, a scalar.
inline Value ExtentOf(Ops& ops, const Value& v, int axis) {
  return op::cast(ops, op::extent(ops, v, axis), ops.dtype(v));
}

// v, of rank 2 or more, as a matrix of its first axis and all others.
inline Value AsRows(Ops& ops, const Value& v, const char* argument) {
  const Shape shape = ops.shape(v);
  if (shape.rank() < 2) {
    ops.Fail(ArgumentError(argument, "of rank 2 or more", ToString(shape)));
  }
  return shape.rank() == 2 ? v : op::flatten(ops, v, 1, shape.rank() - 1);
}

// Class numbers, which are given with or without an axis of extent 1 in the
// place of the classes of x, and which of them count.
struct Classes {
  Value column;  // With that axis, 0 where it does not count.
  Value counts;  // Likewise, bool.
  bool added;    // It was added.
};

inline Classes ClassesOf(Ops& ops, const Value& x, const Value& label, int axis,
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
  const Value column =
      added ? op::unsqueeze(ops, label, {int64_t{axis}}) : label;
  const auto filled = [&](int64_t value) {
    return op::full_like(ops, column, Scalar(value), DataType::kUndefined);
  };
  const Value counts = op::not_equal(ops, column, filled(ignore_index));
  return {op::where(ops, counts, column, filled(0)), counts, added};
}

// Returns what x has at the classes; 1 where they don't count.
inline Value AtClasses(Ops& ops, const Value& x, const Classes& classes,
                       int axis) {
  const Value found = op::take_along_axis(ops, x, classes.column, axis);
  return op::where(ops, classes.counts, found, FullLike(ops, found, 1));
}

// Minus the logarithm; that of 0 is a large number, as in Paddle.
inline Value MinusLog(Ops& ops, const Value& v) {
  constexpr double kLargest = 1e20;
  const Value minus = Times(ops, op::log(ops, v), -1);
  return op::clip(ops, minus, Scalar(-kLargest), Scalar(kLargest));
}

// The gradient of x that -log x at the classes has.
inline Value AtClassesGrad(Ops& ops, const Value& x, const Classes& classes,
                           const Value& found, const Value& out_grad) {
  const int last = ops.shape(x).rank() - 1;
  const Value grad =
      classes.added ? op::unsqueeze(ops, out_grad, {int64_t{last}}) : out_grad;
  const Value slope = Times(ops, op::divide(ops, grad, found), -1);
  const Value put =
      op::where(ops, classes.counts, slope, FullLike(ops, slope, 0));
  return op::put_along_axis(ops, FullLike(ops, x, 0), classes.column, put, last,
                            "assign");
}

// Ends the composite unless it is a name that a loss takes.
inline void CheckReduction(Ops& ops, std::string_view reduction) {
  if (reduction == "none" || reduction == "sum" || reduction == "mean") return;
  ops.Fail(ArgumentError("reduction", "\"none\", \"sum\" or \"mean\"",
                         Quoted(reduction)));
}

}  // namespace loss

// The loss of probabilities.
inline void CrossEntropy(Ops& ops, const Value& x, const Value& label,
                         bool soft_label, int ignore_index, Value* out) {
  if (out == nullptr) return;
  const int last = ops.shape(x).rank() - 1;
  if (soft_label) {
    *out = loss::RowSum(ops, op::multiply(ops, label, loss::MinusLog(ops, x)));
    return;
  }
  const auto classes = loss::ClassesOf(ops, x, label, last, ignore_index);
  *out = loss::MinusLog(ops, loss::AtClasses(ops, x, classes, last));
  if (classes.added) *out = op::squeeze(ops, *out, {int64_t{last}});
}

// Differentiable again.
inline void CrossEntropyGrad(Ops& ops, const Value& x, const Value& label,
                             const Value& out_grad, bool soft_label,
                             int ignore_index, Value* x_grad) {
  if (x_grad == nullptr) return;
  if (soft_label) {
    *x_grad =
        Times(ops, op::multiply(ops, op::divide(ops, label, x), out_grad), -1);
    return;
  }
  const int last = ops.shape(x).rank() - 1;
  const auto classes = loss::ClassesOf(ops, x, label, last, ignore_index);
  *x_grad = loss::AtClassesGrad(
      ops, x, classes, loss::AtClasses(ops, x, classes, last), out_grad);
}

// The loss of probabilities, and those at the classes.
inline void CrossEntropy2(Ops& ops, const Value& x, const Value& label,
                          int ignore_index, Value* out, Value* match_x) {
  const int last = ops.shape(x).rank() - 1;
  const auto classes = loss::ClassesOf(ops, x, label, last, ignore_index);
  if (out != nullptr) {
    *out = op::cross_entropy(ops, x, label, /*soft_label=*/false, ignore_index);
  }
  if (match_x != nullptr) {
    const Value found = loss::AtClasses(ops, x, classes, last);
    const Value none = FullLike(ops, found, 0);
    *match_x = op::where(ops, classes.counts, found, none);
  }
}

inline void CrossEntropy2Grad(Ops& ops, const Value& x, const Value& label,
                              const Value& match_x, const Value& out_grad,
                              int ignore_index, Value* x_grad) {
  if (x_grad == nullptr) return;
  const int last = ops.shape(x).rank() - 1;
  const auto classes = loss::ClassesOf(ops, x, label, last, ignore_index);
  const Value safe =
      op::where(ops, classes.counts, match_x, FullLike(ops, match_x, 1));
  *x_grad = loss::AtClassesGrad(ops, x, classes, safe, out_grad);
}

// Minus the logarithms of probabilities at the classes, on axis 1.
inline void NllLoss(Ops& ops, const Value& input, const Value& label,
                    const Value& weight, int64_t ignore_index,
                    std::string_view reduction, Value* out,
                    Value* total_weight) {
  loss::CheckReduction(ops, reduction);
  const auto classes = loss::ClassesOf(ops, input, label, 1, ignore_index);
  // Ignored ones may be of any value.
  const Value taken = op::take_along_axis(ops, input, classes.column, 1);
  const Value found =
      op::where(ops, classes.counts, taken, FullLike(ops, taken, 0));
  Value share;
  if (ops.defined(weight)) {
    const int64_t after[] = {ops.shape(classes.column).rank()};
    share =
        op::gather_nd(ops, weight, op::unsqueeze(ops, classes.column, after));
  } else {
    share = FullLike(ops, found, 1);
  }
  share = op::where(ops, classes.counts, share, FullLike(ops, share, 0));
  const Value one = Times(ops, op::multiply(ops, found, share), -1);
  if (reduction == "none") {
    const Value each =
        classes.added ? op::squeeze(ops, one, {int64_t{1}}) : one;
    if (out != nullptr) *out = each;
    if (total_weight != nullptr) {
      const Value sum = op::sum(ops, each, {}, DataType::kUndefined, false);
      *total_weight = FullLike(ops, sum, 0);
    }
    return;
  }
  const Value total = op::sum(ops, share, {}, DataType::kUndefined, false);
  if (total_weight != nullptr) *total_weight = total;
  if (out == nullptr) return;
  *out = op::sum(ops, one, {}, DataType::kUndefined, false);
  if (reduction == "sum") return;
  // Where nothing counts the sum is 0, and so is the mean.
  const Value nothing = op::equal(ops, total, FullLike(ops, total, 0));
  const Value by = op::where(ops, nothing, FullLike(ops, total, 1), total);
  *out = op::divide(ops, *out, by);
}

// Labels between their own values and a distribution.
inline void LabelSmooth(Ops& ops, const Value& label, const Value& prior_dist,
                        double epsilon, Value* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(label);
  if (shape.rank() < 1) {
    return ops.Fail(
        ArgumentError("label", "of rank 1 or more", ToString(shape)));
  }
  const Value kept = Times(ops, label, 1.0 - epsilon);
  if (ops.defined(prior_dist)) {
    *out = op::add(ops, kept, Times(ops, prior_dist, epsilon));
    return;
  }
  const Value classes = loss::ExtentOf(ops, label, shape.rank() - 1);
  *out = op::add(ops, kept,
                 op::divide(ops, FullLike(ops, classes, epsilon), classes));
}

// The cosine of the angle between rows; 0 where one is of zeros.
inline void CosSim(Ops& ops, const Value& x, const Value& y, Value* out,
                   Value* x_norm, Value* y_norm) {
  const Value a = Widened(ops, loss::AsRows(ops, x, "x"));
  const Value b = Widened(ops, loss::AsRows(ops, y, "y"));
  const auto length = [&](const Value& rows) {
    return RootOfSum(ops, loss::RowSum(ops, op::multiply(ops, rows, rows)));
  };
  const Value a_norm = length(a), b_norm = length(b);
  if (out != nullptr) {
    const Value product = loss::RowSum(ops, op::multiply(ops, a, b));
    const Value lengths = op::multiply(ops, a_norm, b_norm);
    const Value none = op::equal(ops, lengths, FullLike(ops, lengths, 0));
    const Value held = op::where(ops, none, FullLike(ops, lengths, 1), lengths);
    *out = Narrowed(ops, op::divide(ops, product, held), ops.dtype(x));
  }
  if (x_norm != nullptr) *x_norm = Narrowed(ops, a_norm, ops.dtype(x));
  if (y_norm != nullptr) *y_norm = Narrowed(ops, b_norm, ops.dtype(x));
}

// The loss of RankNet.
inline void RankLoss(Ops& ops, const Value& label, const Value& left,
                     const Value& right, Value* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(label);
  const auto like_label = [&](const Value& v) {
    const bool same = MayEqual(ops.shape(v), shape);
    return Widened(ops, same ? v : ReshapeLike(ops, v, label, "label"));
  };
  const Value difference =
      op::subtract(ops, like_label(left), like_label(right));
  const Value low = op::logsigmoid(ops, Times(ops, difference, -1));
  const Value loss =
      op::subtract(ops, Times(ops, low, -1),
                   op::multiply(ops, Widened(ops, label), difference));
  *out = Narrowed(ops, loss, ops.dtype(label));
}

// max(0, -label * (x1 - x2) + margin), and where it is above 0.
inline void MarginRankLoss(Ops& ops, const Value& label, const Value& x1,
                           const Value& x2, double margin, Value* out,
                           Value* activated) {
  const Value difference =
      op::subtract(ops, Widened(ops, x1), Widened(ops, x2));
  const Value product = op::multiply(ops, Widened(ops, label), difference);
  const Value value = op::relu(ops, Linear(ops, product, -1, margin));
  const DataType dtype = ops.dtype(x1);
  if (out != nullptr) *out = Narrowed(ops, value, dtype);
  if (activated != nullptr) {
    const Value above = op::greater_than(ops, value, FullLike(ops, value, 0));
    *activated = op::cast(ops, above, dtype);
  }
}

// For each row the mean of log(1 + exp(x[j] - x[label])) over the other j: the
// label's own part is the logarithm of 2.
inline void BprLoss(Ops& ops, const Value& x, const Value& label, Value* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(x);
  if (shape.rank() < 1) {
    return ops.Fail(ArgumentError("x", "of rank 1 or more", ToString(shape)));
  }
  constexpr double kLogarithmOf2 = 0.6931471805599453;
  const int last = shape.rank() - 1;
  const Value own = op::take_along_axis(ops, x, label, last);
  const Value all =
      loss::RowSum(ops, op::logsigmoid(ops, op::subtract(ops, own, x)));
  const Value others = Linear(ops, all, -1, -kLogarithmOf2);
  const Value count = Linear(ops, loss::ExtentOf(ops, x, last), 1, -1);
  *out = op::divide(ops, others, count);
}

// The gradient of cross_entropy_with_softmax. The softmax is computed again
// from `input`, since that which the operator saves has no gradient; without
// `input` (a program from outside) it is a constant. Differentiable again.
inline void CrossEntropyWithSoftmaxGrad(
    Ops& ops, const Value& label, const Value& softmax, const Value& loss_grad,
    const Value& input, bool soft_label, bool use_softmax,
    bool /*numeric_stable_mode*/, int ignore_index, int axis,
    Value* input_grad) {
  const int rank = ops.shape(softmax).rank();
  const int along = axis < 0 ? axis + rank : axis;
  Value probability = softmax;
  if (ops.defined(input)) {
    probability = use_softmax ? op::softmax(ops, input, along) : input;
  }
  // The shares of the classes, their sum, and what counts of the gradient.
  Value shares = label, total = loss_grad, grad = loss_grad;
  if (soft_label) {
    total = op::sum(ops, label, {int64_t{along}}, DataType::kUndefined, true);
  } else {
    const auto classes =
        loss::ClassesOf(ops, softmax, label, along, ignore_index);
    total = FullLike(ops, loss_grad, 1);
    shares = op::put_along_axis(ops, FullLike(ops, softmax, 0),
                                op::cast(ops, classes.column, DataType::kInt64),
                                total, along, "assign");
    grad =
        op::where(ops, classes.counts, loss_grad, FullLike(ops, loss_grad, 0));
  }
  if (use_softmax) {
    *input_grad = op::multiply(
        ops, grad,
        op::subtract(ops, op::multiply(ops, probability, total), shares));
    return;
  }
  // A share of 0 adds nothing, whatever the probability.
  const Value nothing = op::equal(ops, shares, FullLike(ops, shares, 0));
  const Value divisor =
      op::where(ops, nothing, FullLike(ops, shares, 1), probability);
  *input_grad =
      Times(ops, op::multiply(ops, grad, op::divide(ops, shares, divisor)), -1);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_LOSS_H_
