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
#include "phi/composite/calls/of_sampled_classes.h"
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"
#include "phi/composite/lists.h"
#include "phi/composite/ops.h"
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
struct Tables {
  const Value& probs;
  const Value& alias;
  const Value& alias_probs;
};

// Classes that are drawn, int64 [rows, count].
inline Value Drawn(Ops& ops, const Value& rng, int sampler,
                   const Tables& tables, int64_t classes, int64_t rows,
                   int64_t count, int64_t stream) {
  if (sampler == kUniform) {
    const std::vector<int64_t> shape = {rows, count};
    return op::randint(ops, rng, int64_t{0}, classes, shape, DataType::kInt64,
                       stream);
  }
  const Scalar zero(int64_t{0}), last(classes - 1);
  const auto whole = [&](const Value& v) {
    return op::clip(ops, op::cast(ops, op::floor(ops, v), DataType::kInt64),
                    zero, last);
  };
  const std::vector<int64_t> shape = {2, rows, count}, list = {-1}, axes = {0},
                             ends[] = {{0}, {1}, {2}}, matrix = {rows, count};
  const Value drawn =
      op::uniform(ops, rng, shape, 0.0, 1.0, DataType::kFloat64, stream);
  const auto part = [&](int i) {
    return ReshapeTo(ops, op::slice(ops, drawn, axes, ends[i], ends[i + 1]),
                     matrix);
  };
  const double number = static_cast<double>(classes);
  if (sampler == kLogUniform) {
    const Value power = op::exp(ops, Times(ops, part(0), std::log(number)));
    return whole(Linear(ops, power, 1, -1));
  }
  const Value first = whole(Times(ops, part(0), number));
  const Value index = op::reshape(ops, first, list);
  const auto looked_up = [&](const Value& table, DataType dtype) {
    const Value found =
        op::gather(ops, op::reshape(ops, table, list), index, 0);
    return ReshapeTo(ops, op::cast(ops, found, dtype), matrix);
  };
  const Value stays = op::less_than(
      ops, part(1), looked_up(tables.alias_probs, DataType::kFloat64));
  return op::where(ops, stays, first,
                   looked_up(tables.alias, DataType::kInt64));
}

// How likely each of `labels` int64 [rows, count] is drawn, in `dtype`.
inline Value Likelihood(Ops& ops, int sampler, const Tables& tables,
                        const Value& labels, int64_t classes, DataType dtype) {
  if (sampler == kTable) {
    const std::vector<int64_t> list = {-1};
    const Value found = op::gather(ops, op::reshape(ops, tables.probs, list),
                                   op::reshape(ops, labels, list), 0);
    return ReshapeLike(ops, op::cast(ops, found, dtype), labels, "label");
  }
  const Value numbers = op::cast(ops, labels, DataType::kFloat64);
  const double count = static_cast<double>(classes);
  if (sampler == kUniform) {
    return op::cast(ops, FullLike(ops, numbers, 1 / count), dtype);
  }
  const Value ratio =
      op::divide(ops, Linear(ops, numbers, 1, 2), Linear(ops, numbers, 1, 1));
  return op::cast(ops, Times(ops, op::log(ops, ratio), 1 / std::log(count)),
                  dtype);
}

// `label` and, for each row, classes that are drawn, or the `given` ones.
inline Value Candidates(Ops& ops, const Value& label, const Value& rng,
                        int sampler, const Tables& tables, int64_t classes,
                        int64_t count, absl::Span<const int> given,
                        int64_t stream) {
  const std::vector<int64_t> axes = {1}, begin = {0}, end = {1};
  std::vector<Value> parts = {label};
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
        op::add(ops, FullLike(ops, op::slice(ops, label, axes, begin, end), 0),
                op::assign_value(ops, row, DataType::kInt64, numbers)));
  }
  return Joined(ops, parts, 1);
}

// The score of each candidate: its row of `weight` times that of `input`.
inline Value Scores(Ops& ops, const Value& input, const Value& weight,
                    const Value& bias, const Value& candidates, int64_t count) {
  const std::vector<int64_t> list = {-1};
  const Dim width = ops.shape(weight)[1];
  if (!width.known()) ops.Fail(UnknownShapeError("weight"));
  // Refuses labels below 0, which gather would count from the end.
  const Value rows = op::embedding(ops, candidates, weight, int64_t{-1}, false);
  const std::vector<int64_t> column = {-1, width.value(), 1},
                             matrix = {-1, count};
  Value scores = op::reshape(
      ops, op::matmul(ops, rows, op::reshape(ops, input, column), false, false),
      matrix);
  if (ops.defined(bias)) {
    const Value taken = op::gather(ops, op::reshape(ops, bias, list),
                                   op::reshape(ops, candidates, list), 0);
    scores = op::add(ops, scores, op::reshape(ops, taken, matrix));
  }
  return scores;
}

// Checks what no operator of the composite would.
inline void CheckNce(Ops& ops, const Value& input, const Value& label,
                     const Value& weight, const Tables& tables, int64_t classes,
                     int64_t count, int sampler, absl::Span<const int> given) {
  const auto matrix = [&](const Value& v, std::string_view name) {
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
  const auto needed = [&](const Value& v, std::string_view name) {
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
inline void Nce(Ops& ops, const Value& input, const Value& label,
                const Value& weight, const Value& bias,
                const Value& sample_weight, const Value& custom_dist_probs,
                const Value& custom_dist_alias,
                const Value& custom_dist_alias_probs, const Value& rng,
                int num_total_classes, int num_neg_samples, int sampler,
                absl::Span<const int> custom_neg_classes, int64_t stream,
                Value* cost, Value* sample_logits, Value* sample_labels) {
  const sampled::Tables tables = {custom_dist_probs, custom_dist_alias,
                                  custom_dist_alias_probs};
  sampled::CheckNce(ops, input, label, weight, tables, num_total_classes,
                    num_neg_samples, sampler, custom_neg_classes);
  const Shape shape = ops.shape(label);
  const Dim own = shape.rank() == 1 ? Dim(1) : shape[1];
  if (!own.known()) return ops.Fail(UnknownShapeError("label"));
  const int64_t trues = own.value(), count = trues + num_neg_samples;
  const std::vector<int64_t> columns = {1}, bounds[] = {{0}, {trues}, {count}};
  const Value labels =
      op::cast(ops, ReshapeTo(ops, label, {-1, trues}), DataType::kInt64);
  const Value candidates =
      sampled::Candidates(ops, labels, rng, sampler, tables, num_total_classes,
                          num_neg_samples, custom_neg_classes, stream);
  if (sample_labels != nullptr) *sample_labels = candidates;
  const Value scores = sampled::Scores(
      ops, Widened(ops, input), Widened(ops, weight), bias, candidates, count);
  const Value odds = op::sigmoid(ops, scores);
  if (sample_logits != nullptr) {
    *sample_logits = Narrowed(ops, odds, ops.dtype(input));
  }
  if (cost == nullptr) return;
  const Value noise =
      Times(ops,
            sampled::Likelihood(ops, sampler, tables, candidates,
                                num_total_classes, ops.dtype(scores)),
            num_neg_samples);
  const Value both = op::log(ops, op::add(ops, odds, noise));
  const auto part = [&](const Value& v, int i) {
    return op::sum(ops, op::slice(ops, v, columns, bounds[i], bounds[i + 1]),
                   columns, DataType::kUndefined, true);
  };
  // -log sigmoid(s) is log(1 + e^-s).
  const Value right =
      op::add(ops, op::softplus(ops, Times(ops, scores, -1), 1.0, 40.0), both);
  const Value wrong = op::subtract(ops, both, op::log(ops, noise));
  Value loss = op::add(ops, part(right, 0), part(wrong, 1));
  if (ops.defined(sample_weight)) {
    const std::vector<int64_t> column = {-1, 1};
    const Value share =
        op::cast(ops, op::reshape(ops, sample_weight, column), ops.dtype(loss));
    // A row without weight may be anything.
    const Value none = op::equal(ops, share, FullLike(ops, share, 0));
    loss = op::where(ops, none, FullLike(ops, loss, 0),
                     op::multiply(ops, loss, share));
  }
  *cost = Narrowed(ops, loss, ops.dtype(input));
}

// The classes that occur, and others until there are enough; labels as places
// among them.
inline void ClassCenterSample(Ops& ops, const Value& label, const Value& rng,
                              int num_classes, int num_samples, int64_t stream,
                              Value* remapped_label,
                              Value* sampled_class_center) {
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
  const Value wide = op::cast(ops, label, DataType::kInt64);
  const Value none = op::full(ops, classes, zero, DataType::kInt64);
  const Value occurs =
      op::put_along_axis(ops, none, wide, FullLike(ops, wide, 1), 0, "assign");
  const Value before =
      op::cumsum(ops, occurs, 0, false, /*exclusive=*/true, false);
  if (remapped_label != nullptr) {
    // Refuses labels below 0, which gather would count from the end.
    const std::vector<int64_t> table = {num_classes, 1}, list = {-1};
    const Value places =
        op::reshape(ops, op::cast(ops, before, DataType::kFloat64), table);
    const Value found = op::embedding(ops, wide, places, int64_t{-1}, false);
    *remapped_label =
        op::cast(ops, op::reshape(ops, found, list), ops.dtype(label));
  }
  if (sampled_class_center == nullptr) return;
  const Value drawn =
      op::uniform(ops, rng, classes, 0.0, 1.0, DataType::kFloat64, stream);
  // Those that occur come first, in their order.
  const Value key = op::where(ops, op::greater_than(ops, occurs, none),
                              FullLike(ops, drawn, -1), drawn);
  const Value order =
      op::argsort(ops, key, 0, /*descending=*/false, /*stable=*/true)[1];
  const Value number = op::sum(ops, occurs, first, DataType::kUndefined, true);
  const Value enough =
      op::maximum(ops, number, FullLike(ops, number, num_samples));
  const Value places = op::arange(ops, zero, Scalar(int64_t{num_classes}), one,
                                  DataType::kInt64);
  *sampled_class_center = Narrowed(
      ops, op::masked_select(ops, order, op::less_than(ops, places, enough)),
      ops.dtype(label));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_SAMPLED_CLASSES_H_
