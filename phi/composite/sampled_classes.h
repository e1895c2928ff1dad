// SPDX-License-Identifier: Apache-2.0
// Choices among many classes, of which only some are looked at.
#ifndef SWITCHYARD_PHI_COMPOSITE_SAMPLED_CLASSES_H_
#define SWITCHYARD_PHI_COMPOSITE_SAMPLED_CLASSES_H_

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"
#include "phi/composite/lists.h"
#include "phi/composite/widening.h"

namespace switchyard::phi::composite {

// Parts of the composites below, not operators' composites themselves.
namespace sampled {

// How classes are drawn: any, or class c as often as log((c + 2) / (c + 1))
// says, or by a table of probabilities.
enum Sampler { kUniform = 0, kLogUniform = 1, kTable = 2 };

// The tables of Sampler kTable: probabilities, and what draws by them at once.
// A class that is drawn stays with its probability of `alias_probs`, else its
// `alias` is taken.
template <typename V>
struct Tables {
  const V& probs;
  const V& alias;
  const V& alias_probs;
};

// Classes that are drawn, int64 [rows, count].
template <typename Ops, typename V>
V Drawn(Ops& ops, const V& rng, int sampler, const Tables<V>& tables,
        int64_t classes, int64_t rows, int64_t count, int64_t stream) {
  if (sampler == kUniform) {
    const std::vector<int64_t> shape = {rows, count};
    return ops.randint(rng, int64_t{0}, classes, shape, DataType::kInt64,
                       stream);
  }
  const Scalar zero(int64_t{0}), last(classes - 1);
  const auto whole = [&](const V& v) {
    return ops.clip(ops.cast(ops.floor(v), DataType::kInt64), zero, last);
  };
  const std::vector<int64_t> shape = {2, rows, count}, list = {-1}, axes = {0},
                             ends[] = {{0}, {1}, {2}}, matrix = {rows, count};
  const V drawn = ops.uniform(rng, shape, 0.0, 1.0, DataType::kFloat64, stream);
  const auto part = [&](int i) {
    return ReshapeTo(ops, ops.slice(drawn, axes, ends[i], ends[i + 1]), matrix);
  };
  const double number = static_cast<double>(classes);
  if (sampler == kLogUniform) {
    const V power = ops.exp(Times(ops, part(0), std::log(number)));
    return whole(Linear(ops, power, 1, -1));
  }
  const V first = whole(Times(ops, part(0), number));
  const V index = ops.reshape(first, list);
  const auto looked_up = [&](const V& table, DataType dtype) {
    const V found = ops.gather(ops.reshape(table, list), index, 0);
    return ReshapeTo(ops, ops.cast(found, dtype), matrix);
  };
  const V stays =
      ops.less_than(part(1), looked_up(tables.alias_probs, DataType::kFloat64));
  return ops.where(stays, first, looked_up(tables.alias, DataType::kInt64));
}

// How likely each of `labels` int64 [rows, count] is drawn, in `dtype`.
template <typename Ops, typename V>
V Likelihood(Ops& ops, int sampler, const Tables<V>& tables, const V& labels,
             int64_t classes, DataType dtype) {
  if (sampler == kTable) {
    const std::vector<int64_t> list = {-1};
    const V found = ops.gather(ops.reshape(tables.probs, list),
                               ops.reshape(labels, list), 0);
    return ReshapeLike(ops, ops.cast(found, dtype), labels, "label");
  }
  const V numbers = ops.cast(labels, DataType::kFloat64);
  const double count = static_cast<double>(classes);
  if (sampler == kUniform) {
    return ops.cast(FullLike(ops, numbers, 1 / count), dtype);
  }
  const V ratio =
      ops.divide(Linear(ops, numbers, 1, 2), Linear(ops, numbers, 1, 1));
  return ops.cast(Times(ops, ops.log(ratio), 1 / std::log(count)), dtype);
}

// `label` and, for each row, classes that are drawn, or the `given` ones.
template <typename Ops, typename V>
V Candidates(Ops& ops, const V& label, const V& rng, int sampler,
             const Tables<V>& tables, int64_t classes, int64_t count,
             absl::Span<const int> given, int64_t stream) {
  const std::vector<int64_t> axes = {1}, begin = {0}, end = {1};
  std::vector<V> parts = {label};
  if (given.empty()) {
    const Shape shape = ops.shape(label);
    if (!shape[0].known()) ops.Fail(UnknownShapeError("label"));
    parts.push_back(Drawn(ops, rng, sampler, tables, classes, shape[0].value(),
                          count, stream));
  } else {
    std::vector<Scalar> numbers;
    for (const int one : given) numbers.push_back(Scalar(int64_t{one}));
    const std::vector<int64_t> row = {1, count};
    parts.push_back(
        ops.add(FullLike(ops, ops.slice(label, axes, begin, end), 0),
                ops.assign_value(row, DataType::kInt64, numbers)));
  }
  return Joined(ops, parts, 1);
}

// The score of each candidate: its row of `weight` times that of `input`.
template <typename Ops, typename V>
V Scores(Ops& ops, const V& input, const V& weight, const V& bias,
         const V& candidates, int64_t count) {
  const std::vector<int64_t> list = {-1};
  const Dim width = ops.shape(weight)[1];
  if (!width.known()) ops.Fail(UnknownShapeError("weight"));
  // Refuses labels below 0, which gather would count from the end.
  const V rows = ops.embedding(candidates, weight, int64_t{-1}, false);
  const std::vector<int64_t> column = {-1, width.value(), 1},
                             matrix = {-1, count};
  V scores = ops.reshape(
      ops.matmul(rows, ops.reshape(input, column), false, false), matrix);
  if (ops.defined(bias)) {
    const V taken =
        ops.gather(ops.reshape(bias, list), ops.reshape(candidates, list), 0);
    scores = ops.add(scores, ops.reshape(taken, matrix));
  }
  return scores;
}

// Checks what no operator of the composite would.
template <typename Ops, typename V>
void CheckNce(Ops& ops, const V& input, const V& label, const V& weight,
              const Tables<V>& tables, int64_t classes, int64_t count,
              int sampler, absl::Span<const int> given) {
  const auto matrix = [&](const V& v, std::string_view name) {
    if (ops.shape(v).rank() == 2) return;
    ops.Fail(ArgumentError(name, "of rank 2", ToString(ops.shape(v))));
  };
  matrix(input, "input");
  matrix(weight, "weight");
  if (ops.shape(label).rank() != 1) matrix(label, "label");
  if (classes < 1) {
    ops.Fail(ArgumentError("num_total_classes", "1 or more",
                           std::to_string(classes)));
  }
  if (count < 1) {
    ops.Fail(
        ArgumentError("num_neg_samples", "1 or more", std::to_string(count)));
  }
  if (sampler < kUniform || sampler > kTable) {
    ops.Fail(ArgumentError("sampler", "0, 1 or 2", std::to_string(sampler)));
  }
  if (!given.empty() && given.size() != static_cast<size_t>(count)) {
    ops.Fail(ArgumentError("custom_neg_classes",
                           std::to_string(count) + " numbers or none",
                           std::to_string(given.size())));
  }
  const auto needed = [&](const V& v, std::string_view name) {
    if (sampler != kTable || ops.defined(v)) return;
    ops.Fail(ArgumentError(name, "a tensor for sampler 2", "nothing"));
  };
  needed(tables.probs, "custom_dist_probs");
  if (!given.empty()) return;
  needed(tables.alias, "custom_dist_alias");
  needed(tables.alias_probs, "custom_dist_alias_probs");
}

}  // namespace sampled

// The loss of telling a row's classes from others that are drawn.
template <typename Ops, typename V = typename Ops::Value>
void Nce(Ops& ops, const V& input, const V& label, const V& weight,
         const V& bias, const V& sample_weight, const V& custom_dist_probs,
         const V& custom_dist_alias, const V& custom_dist_alias_probs,
         const V& rng, int num_total_classes, int num_neg_samples, int sampler,
         absl::Span<const int> custom_neg_classes, int64_t stream, V* cost,
         V* sample_logits, V* sample_labels) {
  const sampled::Tables<V> tables = {custom_dist_probs, custom_dist_alias,
                                     custom_dist_alias_probs};
  sampled::CheckNce(ops, input, label, weight, tables, num_total_classes,
                    num_neg_samples, sampler, custom_neg_classes);
  const Shape shape = ops.shape(label);
  const Dim own = shape.rank() == 1 ? Dim(1) : shape[1];
  if (!own.known()) return ops.Fail(UnknownShapeError("label"));
  const int64_t trues = own.value(), count = trues + num_neg_samples;
  const std::vector<int64_t> columns = {1}, bounds[] = {{0}, {trues}, {count}};
  const V labels =
      ops.cast(ReshapeTo(ops, label, {-1, trues}), DataType::kInt64);
  const V candidates =
      sampled::Candidates(ops, labels, rng, sampler, tables, num_total_classes,
                          num_neg_samples, custom_neg_classes, stream);
  if (sample_labels != nullptr) *sample_labels = candidates;
  const V scores = sampled::Scores(
      ops, Widened(ops, input), Widened(ops, weight), bias, candidates, count);
  const V odds = ops.sigmoid(scores);
  if (sample_logits != nullptr) {
    *sample_logits = Narrowed(ops, odds, ops.dtype(input));
  }
  if (cost == nullptr) return;
  const V noise =
      Times(ops,
            sampled::Likelihood(ops, sampler, tables, candidates,
                                num_total_classes, ops.dtype(scores)),
            num_neg_samples);
  const V both = ops.log(ops.add(odds, noise));
  const auto part = [&](const V& v, int i) {
    return ops.sum(ops.slice(v, columns, bounds[i], bounds[i + 1]), columns,
                   DataType::kUndefined, true);
  };
  // -log sigmoid(s) is log(1 + e^-s).
  const V right =
      ops.add(ops.softplus(Times(ops, scores, -1), 1.0, 40.0), both);
  const V wrong = ops.subtract(both, ops.log(noise));
  V loss = ops.add(part(right, 0), part(wrong, 1));
  if (ops.defined(sample_weight)) {
    const std::vector<int64_t> column = {-1, 1};
    const V share =
        ops.cast(ops.reshape(sample_weight, column), ops.dtype(loss));
    // A row without weight may be anything.
    const V none = ops.equal(share, FullLike(ops, share, 0));
    loss = ops.where(none, FullLike(ops, loss, 0), ops.multiply(loss, share));
  }
  *cost = Narrowed(ops, loss, ops.dtype(input));
}

// The classes that occur, and others until there are enough; labels as places
// among them.
template <typename Ops, typename V = typename Ops::Value>
void ClassCenterSample(Ops& ops, const V& label, const V& rng, int num_classes,
                       int num_samples, int64_t stream, V* remapped_label,
                       V* sampled_class_center) {
  if (ops.shape(label).rank() != 1) {
    return ops.Fail(
        ArgumentError("label", "of rank 1", ToString(ops.shape(label))));
  }
  if (num_classes < 1) {
    return ops.Fail(
        ArgumentError("num_classes", "1 or more", std::to_string(num_classes)));
  }
  if (num_samples < 1 || num_samples > num_classes) {
    return ops.Fail(ArgumentError("num_samples",
                                  "in [1, " + std::to_string(num_classes) + "]",
                                  std::to_string(num_samples)));
  }
  const std::vector<int64_t> classes = {num_classes}, first = {0};
  const Scalar zero(int64_t{0}), one(int64_t{1});
  const V wide = ops.cast(label, DataType::kInt64);
  const V none = ops.full(classes, zero, DataType::kInt64);
  const V occurs =
      ops.put_along_axis(none, wide, FullLike(ops, wide, 1), 0, "assign");
  const V before = ops.cumsum(occurs, 0, false, /*exclusive=*/true, false);
  if (remapped_label != nullptr) {
    // Refuses labels below 0, which gather would count from the end.
    const std::vector<int64_t> table = {num_classes, 1}, list = {-1};
    const V places = ops.reshape(ops.cast(before, DataType::kFloat64), table);
    const V found = ops.embedding(wide, places, int64_t{-1}, false);
    *remapped_label = ops.cast(ops.reshape(found, list), ops.dtype(label));
  }
  if (sampled_class_center == nullptr) return;
  const V drawn =
      ops.uniform(rng, classes, 0.0, 1.0, DataType::kFloat64, stream);
  // Those that occur come first, in their order.
  const V key = ops.where(ops.greater_than(occurs, none),
                          FullLike(ops, drawn, -1), drawn);
  const V order = ops.argsort(key, 0, /*descending=*/false, /*stable=*/true)[1];
  const V number = ops.sum(occurs, first, DataType::kUndefined, true);
  const V enough = ops.maximum(number, FullLike(ops, number, num_samples));
  const V places =
      ops.arange(zero, Scalar(int64_t{num_classes}), one, DataType::kInt64);
  *sampled_class_center =
      Narrowed(ops, ops.masked_select(order, ops.less_than(places, enough)),
               ops.dtype(label));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_SAMPLED_CLASSES_H_
