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
#include "phi/composite/elements.h"
#include "phi/composite/lists.h"

namespace switchyard::phi::composite {

// Parts of the composites below, not operators' composites themselves.
namespace metrics {

template <typename Ops, typename V>
V Column(Ops& ops, const V& table, int64_t i) {
  const std::vector<int64_t> axes = {1}, starts = {i}, ends = {i + 1};
  return ops.slice(table, axes, starts, ends);
}

// The elements of v as one column of float64.
template <typename Ops, typename V>
V WideColumn(Ops& ops, const V& v) {
  const std::vector<int64_t> column = {-1, 1};
  return ops.reshape(ops.cast(v, DataType::kFloat64), column);
}

template <typename Ops, typename V>
V Positive(Ops& ops, const V& v) {
  return ops.greater_than(v, FullLike(ops, v, 0));
}

// part / whole, or `otherwise` where there is nothing.
template <typename Ops, typename V>
V Share(Ops& ops, const V& part, const V& whole, double otherwise) {
  const V some = Positive(ops, whole);
  const V share =
      ops.divide(part, ops.where(some, whole, FullLike(ops, whole, 1)));
  return ops.where(some, share, FullLike(ops, whole, otherwise));
}

// The harmonic mean.
template <typename Ops, typename V>
V Harmonic(Ops& ops, const V& a, const V& b) {
  return Share(ops, Times(ops, ops.multiply(a, b), 2), ops.add(a, b), 0);
}

// Precision, recall and F1 of a table of classes: the means of the classes'
// own, then those of all together.
template <typename Ops, typename V>
V PrecisionAndRecall(Ops& ops, const V& states) {
  const std::vector<int64_t> all, one = {1};
  const V hit = Column(ops, states, 0), extra = Column(ops, states, 1),
          missed = Column(ops, states, 3);
  const auto mean = [&](const V& v) {
    return ops.reshape(ops.mean(v, all, false), one);
  };
  const auto sum = [&](const V& v) {
    return ops.reshape(ops.sum(v, all, DataType::kUndefined, false), one);
  };
  const auto share = [&](const V& part, const V& rest) {
    return Share(ops, part, ops.add(part, rest), 1);
  };
  const V precision = mean(share(hit, extra));
  const V recall = mean(share(hit, missed));
  const V hits = sum(hit);
  const V all_precision = share(hits, sum(extra));
  const V all_recall = share(hits, sum(missed));
  const std::vector<V> six = {
      precision,     recall,     Harmonic(ops, precision, recall),
      all_precision, all_recall, Harmonic(ops, all_precision, all_recall)};
  return Joined(ops, six, 0);
}

}  // namespace metrics

// How often each class was found, found wrongly, rightly not found and missed,
// and what these make.
template <typename Ops, typename V = typename Ops::Value>
void PrecisionRecall(Ops& ops, const V& max_probs, const V& indices,
                     const V& labels, const V& weights, const V& states_info,
                     int class_number, V* batch_metrics, V* accum_metrics,
                     V* accum_states_info) {
  if (class_number < 1) {
    return ops.Fail(ArgumentError("class_number", "1 or more",
                                  std::to_string(class_number)));
  }
  const std::vector<int64_t> list = {-1}, rows = {0}, column = {-1, 1};
  const auto marks = [&](const V& v) {
    return ops.cast(ops.one_hot(ops.reshape(v, list), class_number, false),
                    DataType::kFloat64);
  };
  const V found = marks(indices), wanted = marks(labels);
  const V weight = ops.defined(weights)
                       ? metrics::WideColumn(ops, weights)
                       : FullLike(ops, metrics::WideColumn(ops, max_probs), 1);
  const auto count = [&](const V& marked) {
    return ops.reshape(ops.sum(ops.multiply(marked, weight), rows,
                               DataType::kUndefined, false),
                       column);
  };
  const V both = ops.multiply(found, wanted);
  const V hit = count(both), extra = count(ops.subtract(found, both)),
          missed = count(ops.subtract(wanted, both));
  const V rest = ops.subtract(count(FullLike(ops, both, 1)),
                              ops.add(ops.add(hit, extra), missed));
  const std::vector<V> four = {hit, extra, rest, missed};
  const V states = Joined(ops, four, 1);
  if (batch_metrics != nullptr) {
    *batch_metrics = metrics::PrecisionAndRecall(ops, states);
  }
  const V sums =
      ops.defined(states_info)
          ? ops.add(states, ops.cast(states_info, DataType::kFloat64))
          : states;
  if (accum_metrics != nullptr) {
    *accum_metrics = metrics::PrecisionAndRecall(ops, sums);
  }
  if (accum_states_info != nullptr) {
    *accum_states_info = ops.cast(sums, ops.dtype(max_probs));
  }
}

// How many pairs of a query's results stand in the order of their labels, in
// the other, or even.
template <typename Ops, typename V = typename Ops::Value>
void PositiveNegativePair(Ops& ops, const V& score, const V& label,
                          const V& query_id, const V& accumulate_positive,
                          const V& accumulate_negative,
                          const V& accumulate_neutral, const V& weight,
                          int column, V* positive, V* negative, V* neutral) {
  const Shape shape = ops.shape(score);
  if (shape.rank() != 2 || !shape[1].known()) {
    return ops.Fail(
        ArgumentError("score", "of shape [rows, columns]", ToString(shape)));
  }
  const auto at =
      NormalizeAxis("column", column, static_cast<int>(shape[1].value()));
  if (!at.ok()) return ops.Fail(at.status());
  const std::vector<int64_t> upright = {-1, 1}, lying = {1, -1}, all, one = {1};
  const V scores = metrics::Column(ops, score, *at);
  const V labels = ops.reshape(label, upright);
  const V queries = ops.reshape(query_id, upright);
  const auto turned = [&](const V& v) { return ops.reshape(v, lying); };
  const V same_query = ops.equal(queries, turned(queries));
  const V label_over = ops.greater_than(labels, turned(labels));
  const V label_under = ops.less_than(labels, turned(labels));
  const V score_over = ops.greater_than(scores, turned(scores));
  const V score_under = ops.less_than(scores, turned(scores));
  const V pair =
      ops.logical_and(same_query, ops.logical_or(label_over, label_under));
  const V right = ops.logical_or(ops.logical_and(label_over, score_over),
                                 ops.logical_and(label_under, score_under));
  const V even = ops.equal(scores, turned(scores));
  const V own = ops.defined(weight)
                    ? metrics::WideColumn(ops, weight)
                    : FullLike(ops, metrics::WideColumn(ops, scores), 1);
  // A pair weighs the mean of its two, and each is met twice.
  const V weights = Times(ops, ops.add(own, turned(own)), 0.25);
  const auto count = [&](const V& which, const V& before, V* out) {
    if (out == nullptr) return;
    const V counted = ops.where(ops.logical_and(pair, which), weights,
                                FullLike(ops, weights, 0));
    V sum =
        ops.reshape(ops.sum(counted, all, DataType::kUndefined, false), one);
    if (ops.defined(before)) {
      sum = ops.add(sum, ops.cast(before, DataType::kFloat64));
    }
    *out = ops.cast(sum, ops.dtype(score));
  };
  count(right, accumulate_positive, positive);
  count(ops.logical_not(right), accumulate_negative, negative);
  count(even, accumulate_neutral, neutral);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_METRICS_H_
