// SPDX-License-Identifier: Apache-2.0
// Figures of merit of predictions, made of operators. Counts are float64.
#ifndef SWITCHYARD_PHI_COMPOSITE_METRICS_H_
#define SWITCHYARD_PHI_COMPOSITE_METRICS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_metrics.h"
#include "phi/composite/elements.h"
#include "phi/composite/lists.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// Parts of the composites below, not operators' composites themselves.
namespace metrics {

inline Value Column(Ops& ops, const Value& table, int64_t i) {
  const std::vector<int64_t> axes = {1}, starts = {i}, ends = {i + 1};
  return op::slice(ops, table, axes, starts, ends);
}

// The elements of v as one column of float64.
inline Value WideColumn(Ops& ops, const Value& v) {
  const std::vector<int64_t> column = {-1, 1};
  return op::reshape(ops, op::cast(ops, v, DataType::kFloat64), column);
}

inline Value Positive(Ops& ops, const Value& v) {
  return op::greater_than(ops, v, FullLike(ops, v, 0));
}

// part / whole, or `otherwise` where there is nothing.
inline Value Share(Ops& ops, const Value& part, const Value& whole,
                   double otherwise) {
  const Value some = Positive(ops, whole);
  const Value share = op::divide(
      ops, part, op::where(ops, some, whole, FullLike(ops, whole, 1)));
  return op::where(ops, some, share, FullLike(ops, whole, otherwise));
}

// The harmonic mean.
inline Value Harmonic(Ops& ops, const Value& a, const Value& b) {
  return Share(ops, Times(ops, op::multiply(ops, a, b), 2), op::add(ops, a, b),
               0);
}

// Precision, recall and F1 of a table of classes: the means of the classes'
// own, then those of all together.
inline Value PrecisionAndRecall(Ops& ops, const Value& states) {
  const std::vector<int64_t> all, one = {1};
  const Value hit = Column(ops, states, 0), extra = Column(ops, states, 1),
              missed = Column(ops, states, 3);
  const auto mean = [&](const Value& v) {
    return op::reshape(ops, op::mean(ops, v, all, false), one);
  };
  const auto sum = [&](const Value& v) {
    return op::reshape(ops, op::sum(ops, v, all, DataType::kUndefined, false),
                       one);
  };
  const auto share = [&](const Value& part, const Value& rest) {
    return Share(ops, part, op::add(ops, part, rest), 1);
  };
  const Value precision = mean(share(hit, extra));
  const Value recall = mean(share(hit, missed));
  const Value hits = sum(hit);
  const Value all_precision = share(hits, sum(extra));
  const Value all_recall = share(hits, sum(missed));
  const std::vector<Value> six = {
      precision,     recall,     Harmonic(ops, precision, recall),
      all_precision, all_recall, Harmonic(ops, all_precision, all_recall)};
  return Joined(ops, six, 0);
}

}  // namespace metrics

// How often each class was found, found wrongly, rightly not found and missed,
// and what these make.
inline void PrecisionRecall(Ops& ops, const Value& max_probs,
                            const Value& indices, const Value& labels,
                            const Value& weights, const Value& states_info,
                            int class_number, Value* batch_metrics,
                            Value* accum_metrics, Value* accum_states_info) {
  if (class_number < 1) {
    return ops.Fail(ArgumentError("class_number", "1 or more",
                                  std::to_string(class_number)));
  }
  const std::vector<int64_t> list = {-1}, rows = {0}, column = {-1, 1};
  const auto marks = [&](const Value& v) {
    return op::cast(
        ops, op::one_hot(ops, op::reshape(ops, v, list), class_number, false),
        DataType::kFloat64);
  };
  const Value found = marks(indices), wanted = marks(labels);
  const Value weight =
      ops.defined(weights)
          ? metrics::WideColumn(ops, weights)
          : FullLike(ops, metrics::WideColumn(ops, max_probs), 1);
  const auto count = [&](const Value& marked) {
    return op::reshape(ops,
                       op::sum(ops, op::multiply(ops, marked, weight), rows,
                               DataType::kUndefined, false),
                       column);
  };
  const Value both = op::multiply(ops, found, wanted);
  const Value hit = count(both), extra = count(op::subtract(ops, found, both)),
              missed = count(op::subtract(ops, wanted, both));
  const Value rest =
      op::subtract(ops, count(FullLike(ops, both, 1)),
                   op::add(ops, op::add(ops, hit, extra), missed));
  const std::vector<Value> four = {hit, extra, rest, missed};
  const Value states = Joined(ops, four, 1);
  if (batch_metrics != nullptr) {
    *batch_metrics = metrics::PrecisionAndRecall(ops, states);
  }
  const Value sums =
      ops.defined(states_info)
          ? op::add(ops, states, op::cast(ops, states_info, DataType::kFloat64))
          : states;
  if (accum_metrics != nullptr) {
    *accum_metrics = metrics::PrecisionAndRecall(ops, sums);
  }
  if (accum_states_info != nullptr) {
    *accum_states_info = op::cast(ops, sums, ops.dtype(max_probs));
  }
}

// How many pairs of a query's results stand in the order of their labels, in
// the other, or even.
inline void PositiveNegativePair(
    Ops& ops, const Value& score, const Value& label, const Value& query_id,
    const Value& accumulate_positive, const Value& accumulate_negative,
    const Value& accumulate_neutral, const Value& weight, int column,
    Value* positive, Value* negative, Value* neutral) {
  const Shape shape = ops.shape(score);
  if (shape.rank() != 2 || !shape[1].known()) {
    return ops.Fail(
        ArgumentError("score", "of shape [rows, columns]", ToString(shape)));
  }
  const auto at =
      NormalizeAxis("column", column, static_cast<int>(shape[1].value()));
  if (!at.ok()) return ops.Fail(at.status());
  const std::vector<int64_t> upright = {-1, 1}, lying = {1, -1}, all, one = {1};
  const Value scores = metrics::Column(ops, score, *at);
  const Value labels = op::reshape(ops, label, upright);
  const Value queries = op::reshape(ops, query_id, upright);
  const auto turned = [&](const Value& v) {
    return op::reshape(ops, v, lying);
  };
  const Value same_query = op::equal(ops, queries, turned(queries));
  const Value label_over = op::greater_than(ops, labels, turned(labels));
  const Value label_under = op::less_than(ops, labels, turned(labels));
  const Value score_over = op::greater_than(ops, scores, turned(scores));
  const Value score_under = op::less_than(ops, scores, turned(scores));
  const Value pair = op::logical_and(
      ops, same_query, op::logical_or(ops, label_over, label_under));
  const Value right =
      op::logical_or(ops, op::logical_and(ops, label_over, score_over),
                     op::logical_and(ops, label_under, score_under));
  const Value even = op::equal(ops, scores, turned(scores));
  const Value own = ops.defined(weight)
                        ? metrics::WideColumn(ops, weight)
                        : FullLike(ops, metrics::WideColumn(ops, scores), 1);
  // A pair weighs the mean of its two, and each is met twice.
  const Value weights = Times(ops, op::add(ops, own, turned(own)), 0.25);
  const auto count = [&](const Value& which, const Value& before, Value* out) {
    if (out == nullptr) return;
    const Value counted = op::where(ops, op::logical_and(ops, pair, which),
                                    weights, FullLike(ops, weights, 0));
    Value sum = op::reshape(
        ops, op::sum(ops, counted, all, DataType::kUndefined, false), one);
    if (ops.defined(before)) {
      sum = op::add(ops, sum, op::cast(ops, before, DataType::kFloat64));
    }
    *out = op::cast(ops, sum, ops.dtype(score));
  };
  count(right, accumulate_positive, positive);
  count(op::logical_not(ops, right), accumulate_negative, negative);
  count(even, accumulate_neutral, neutral);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_METRICS_H_
