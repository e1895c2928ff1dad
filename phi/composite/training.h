// SPDX-License-Identifier: Apache-2.0
// Composites of the operators of old training programs beside gradients and
// optimizer steps.
#ifndef SWITCHYARD_PHI_COMPOSITE_TRAINING_H_
#define SWITCHYARD_PHI_COMPOSITE_TRAINING_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/quoted.h"
#include "framework/base/status.h"
#include "framework/types/attr_arg.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/elements.h"
#include "phi/composite/root.h"
#include "phi/composite/widening.h"

namespace switchyard::phi::composite {

// Parts of the composites below, not operators' composites themselves.
namespace training {

// The root of the sum of squares, of rank 0; of halves through float32.
template <typename Ops, typename V>
V Norm(Ops& ops, const V& v) {
  const std::vector<int64_t> all;
  const V squares = ops.square(Widened(ops, v));
  const V root = ops.sqrt(ops.sum(squares, all, DataType::kUndefined, false));
  return Narrowed(ops, root, ops.dtype(v));
}

template <typename Ops, typename V>
V IsPositive(Ops& ops, const V& v) {
  return ops.greater_than(v, FullLike(ops, v, 0));
}

// Takes the elements of a list from `first` to `last`, not included.
template <typename Ops, typename V>
V Part(Ops& ops, const V& list, int64_t first, int64_t last) {
  const std::vector<int64_t> axes = {0}, starts = {first}, ends = {last};
  return ops.slice(list, axes, starts, ends);
}

// `part` in a list of zeros with `before` elements before it and `after` after
// it.
template <typename Ops, typename V>
V Placed(Ops& ops, const V& part, int64_t before, int64_t after) {
  const std::vector<int64_t> paddings = {before, after};
  return ops.pad(part, paddings, Scalar(int64_t{0}));
}

// The counts of one kind of scores after a batch that has `added` of them;
// *total gets those that the area is of. `counts` is laid out as auc says.
template <typename Ops, typename V>
V NextCounts(Ops& ops, const V& counts, const V& added, int64_t intervals,
             int64_t steps, V* total) {
  if (steps == 0) return *total = ops.add(counts, added);
  const std::vector<int64_t> table = {steps, intervals}, column = {steps, 1};
  const std::vector<int64_t> first = {0};
  const int64_t end = steps * intervals;
  const V batches = Part(ops, counts, end + intervals, end + intervals + 1);
  const V place = ops.remainder(batches, FullLike(ops, batches, steps));
  const V numbers =
      ops.reshape(ops.arange(Scalar(int64_t{0}), Scalar(steps),
                             Scalar(int64_t{1}), DataType::kInt64),
                  column);
  const V here = ops.equal(numbers, place);
  const V rows = ops.reshape(Part(ops, counts, 0, end), table);
  const V replaced = ops.sum(ops.where(here, rows, FullLike(ops, rows, 0)),
                             first, DataType::kUndefined, false);
  *total = ops.add(
      ops.subtract(Part(ops, counts, end, end + intervals), replaced), added);
  const V next = ops.where(here, added, rows);
  const V sums = ops.add(Placed(ops, ops.flatten(next, 0, -1), 0, intervals),
                         Placed(ops, *total, end, 0));
  const V grown = Linear(ops, batches, 1, 1);
  return ops.add(Placed(ops, sums, 0, 1),
                 Placed(ops, grown, end + intervals, 0));
}

// The area under the curve of the counts, from the highest interval down.
template <typename Ops, typename V>
V Area(Ops& ops, const V& positive, const V& negative) {
  const std::vector<int64_t> all;
  const V hits = ops.cast(positive, DataType::kFloat64);
  const V misses = ops.cast(negative, DataType::kFloat64);
  const V above = ops.cumsum(hits, 0, false, false, /*reverse=*/true);
  const V mean = ops.subtract(above, Times(ops, hits, 0.5));
  const auto sum = [&](const V& v) {
    return ops.sum(v, all, DataType::kUndefined, false);
  };
  const V area = sum(ops.multiply(misses, mean));
  const V all_hits = sum(hits), all_misses = sum(misses);
  const V both =
      ops.logical_and(IsPositive(ops, all_hits), IsPositive(ops, all_misses));
  const V whole = ops.multiply(all_hits, all_misses);
  return ops.divide(area, ops.where(both, whole, FullLike(ops, whole, 1)));
}

}  // namespace training

template <typename Ops, typename V = typename Ops::Value>
void SquaredL2Norm(Ops& ops, const V& x, V* out) {
  if (out == nullptr) return;
  if (!IsFloating(ops.dtype(x))) {
    return ops.Fail(TypeError("x", "floating", Name(ops.dtype(x))));
  }
  const std::vector<int64_t> first = {0};
  *out = ops.sum(ops.square(ops.flatten(x, 0, -1)), first, DataType::kUndefined,
                 true);
}

template <typename Ops, typename V = typename Ops::Value>
void ClipByNorm(Ops& ops, const V& x, double max_norm, V* out) {
  if (out == nullptr) return;
  if (!(max_norm > 0)) {
    return ops.Fail(
        ArgumentError("max_norm", "over 0", std::to_string(max_norm)));
  }
  const V wide = Widened(ops, x);
  const std::vector<int64_t> all;
  const V norm = RootOfSum(
      ops, ops.sum(ops.square(wide), all, DataType::kUndefined, false));
  const V limit = FullLike(ops, norm, max_norm);
  // 1 where the norm is small enough: x stays, and so does its gradient.
  const V divisor = ops.where(ops.greater_than(norm, limit), norm, limit);
  const V scaled = ops.multiply(wide, ops.divide(limit, divisor));
  *out = Narrowed(ops, scaled, ops.dtype(x));
}

template <typename Ops, typename V = typename Ops::Value>
void LarsMomentum(Ops& ops, const V& param, const V& velocity, const V& grad,
                  const V& learning_rate, double mu, double lars_coeff,
                  absl::Span<const float> lars_weight_decay, double epsilon,
                  double rescale_grad, V* param_out, V* velocity_out) {
  if (lars_weight_decay.size() != 1) {
    return ops.Fail(ArgumentError("lars_weight_decay", "one number",
                                  std::to_string(lars_weight_decay.size())));
  }
  const double decay = lars_weight_decay[0];
  const auto times = [&](const V& v, double factor) {
    return Times(ops, v, factor);
  };
  const V scaled = times(grad, rescale_grad);
  V rate = learning_rate;
  if (decay > 0) {
    const V size = training::Norm(ops, param);
    const V slope = training::Norm(ops, scaled);
    const V both = ops.logical_and(training::IsPositive(ops, size),
                                   training::IsPositive(ops, slope));
    const V sum = Linear(ops, ops.add(slope, times(size, decay)), 1, epsilon);
    const V own =
        ops.multiply(learning_rate, ops.divide(times(size, lars_coeff), sum));
    rate = ops.where(both, own, learning_rate);
  }
  const V step = ops.multiply(ops.add(scaled, times(param, decay)), rate);
  const V next = ops.add(times(velocity, mu), step);
  if (velocity_out != nullptr) *velocity_out = next;
  if (param_out != nullptr) *param_out = ops.subtract(param, next);
}

template <typename Ops, typename V = typename Ops::Value>
void CheckFiniteAndUnscale(Ops& ops, const typename Ops::List& x,
                           const V& scale, typename Ops::OutputList out,
                           V* found_infinite) {
  const std::vector<int64_t> all, one = {1};
  if (x.empty()) {
    return ops.Fail(ArgumentError("x", "one tensor or more", "none"));
  }
  V finite;
  for (size_t i = 0; i < x.size(); ++i) {
    const V here = ops.all(ops.isfinite(x[i]), all, false);
    finite = i == 0 ? here : ops.logical_and(finite, here);
  }
  if (found_infinite != nullptr) {
    *found_infinite = ops.reshape(ops.logical_not(finite), one);
  }
  const V factor = ops.reshape(scale, all);
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] != nullptr) *out[i] = ops.divide(x[i], factor);
  }
}

template <typename Ops, typename V = typename Ops::Value>
void UpdateLossScaling(Ops& ops, const typename Ops::List& x,
                       const V& found_infinite, const V& prev_loss_scaling,
                       const V& in_good_steps, const V& in_bad_steps,
                       int incr_every_n_steps, int decr_every_n_nan_or_inf,
                       float incr_ratio, float decr_ratio, bool stop_update,
                       typename Ops::OutputList out, V* loss_scaling,
                       V* out_good_steps, V* out_bad_steps) {
  const auto count = ops.shape(found_infinite).NumElements();
  if (ops.shape(found_infinite).known() && (!count.ok() || *count != 1)) {
    return ops.Fail(ArgumentError("found_infinite", "of one element",
                                  ToString(ops.shape(found_infinite))));
  }
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] == nullptr) continue;
    *out[i] = ops.where(found_infinite, FullLike(ops, x[i], 0), x[i]);
  }
  if (stop_update) {
    if (loss_scaling != nullptr) *loss_scaling = ops.assign(prev_loss_scaling);
    if (out_good_steps != nullptr) *out_good_steps = ops.assign(in_good_steps);
    if (out_bad_steps != nullptr) *out_bad_steps = ops.assign(in_bad_steps);
    return;
  }
  const auto times = [&](float factor) {
    return Times(ops, prev_loss_scaling, factor);
  };
  const auto next = [&](const V& count) { return Linear(ops, count, 1, 1); };
  const auto is = [&](const V& count, int number) {
    return ops.equal(count, FullLike(ops, count, number));
  };
  const V none = FullLike(ops, in_good_steps, 0);
  const V good = next(in_good_steps), bad = next(in_bad_steps);
  const V grows = is(good, incr_every_n_steps);
  const V shrinks = is(bad, decr_every_n_nan_or_inf);
  const V larger = times(incr_ratio);
  const V grown = ops.where(ops.isfinite(larger), larger, prev_loss_scaling);
  const V shrunk =
      ops.maximum(times(decr_ratio), FullLike(ops, prev_loss_scaling, 1));
  if (loss_scaling != nullptr) {
    *loss_scaling =
        ops.where(found_infinite, ops.where(shrinks, shrunk, prev_loss_scaling),
                  ops.where(grows, grown, prev_loss_scaling));
  }
  if (out_good_steps != nullptr) {
    *out_good_steps =
        ops.where(found_infinite, none, ops.where(grows, none, good));
  }
  if (out_bad_steps != nullptr) {
    *out_bad_steps =
        ops.where(found_infinite, ops.where(shrinks, none, bad), none);
  }
}

template <typename Ops, typename V = typename Ops::Value>
void CoalesceTensor(Ops& ops, const typename Ops::List& input,
                    typename Ops::OutputList output, V* fused_output) {
  if (input.empty()) {
    return ops.Fail(ArgumentError("input", "one tensor or more", "none"));
  }
  int64_t total = 0;
  for (size_t i = 0; i < input.size(); ++i) {
    const auto count = ops.shape(input[i]).NumElements();
    if (!count.ok() || !ops.shape(input[i]).known()) {
      return ops.Fail(ArgumentError("input", "of known shapes",
                                    ToString(ops.shape(input[i]))));
    }
    total += *count;
  }
  V all;
  int64_t before = 0;
  for (size_t i = 0; i < input.size(); ++i) {
    if (i < output.size() && output[i] != nullptr) {
      *output[i] = ops.assign(input[i]);
    }
    const int64_t count = *ops.shape(input[i]).NumElements();
    const V placed = training::Placed(ops, ops.flatten(input[i], 0, -1), before,
                                      total - before - count);
    all = i == 0 ? placed : ops.add(all, placed);
    before += count;
  }
  if (fused_output != nullptr) *fused_output = all;
}

template <typename Ops, typename V = typename Ops::Value>
void LegacyDataNormGrad(Ops& ops, const V& x, const V& means, const V& scales,
                        const V& scale_w, const V& out_grad, float epsilon,
                        int slot_dim, bool enable_scale_and_shift, V* x_grad,
                        V* batch_size_grad, V* batch_sum_grad,
                        V* batch_square_sum_grad, V* scale_w_grad,
                        V* bias_grad) {
  if (slot_dim > 0) {
    return ops.Fail(ArgumentError("slot_dim", "-1", std::to_string(slot_dim)));
  }
  const std::vector<int64_t> rows = {0};
  const auto sum = [&](const V& v) {
    return ops.sum(v, rows, DataType::kUndefined, false);
  };
  if (enable_scale_and_shift && !ops.defined(scale_w)) {
    return ops.Fail(ArgumentError("scale_w", "given", "none"));
  }
  const V size = sum(FullLike(ops, x, 1));
  const V apart = ops.subtract(x, means);
  if (x_grad != nullptr) {
    const V slope = ops.multiply(out_grad, scales);
    *x_grad = enable_scale_and_shift ? ops.multiply(slope, scale_w) : slope;
  }
  if (batch_size_grad != nullptr) *batch_size_grad = size;
  if (batch_sum_grad != nullptr) *batch_sum_grad = sum(x);
  if (batch_square_sum_grad != nullptr) {
    *batch_square_sum_grad =
        ops.add(sum(ops.square(apart)), Times(ops, size, epsilon));
  }
  if (scale_w_grad != nullptr) {
    *scale_w_grad = sum(ops.multiply(out_grad, ops.multiply(apart, scales)));
  }
  if (bias_grad != nullptr) *bias_grad = sum(out_grad);
}

template <typename Ops, typename V = typename Ops::Value>
void Auc(Ops& ops, const V& x, const V& label, const V& stat_pos,
         const V& stat_neg, std::string_view curve, int num_thresholds,
         int slide_steps, V* auc, V* stat_pos_out, V* stat_neg_out) {
  constexpr int kMax = 1 << 24;
  if (curve != "ROC") {
    return ops.Fail(ArgumentError("curve", "\"ROC\"", Quoted(curve)));
  }
  if (num_thresholds < 1 || num_thresholds > kMax) {
    return ops.Fail(ArgumentError("num_thresholds", "in [1, 16777216]",
                                  std::to_string(num_thresholds)));
  }
  if (slide_steps < 0 || slide_steps > kMax) {
    return ops.Fail(ArgumentError("slide_steps", "in [0, 16777216]",
                                  std::to_string(slide_steps)));
  }
  const Shape scores = ops.shape(x);
  if (scores.rank() != 2 || !scores[1].known() || scores[1].value() < 1) {
    return ops.Fail(
        ArgumentError("x", "of shape [n, 1] or [n, 2]", ToString(scores)));
  }
  const int64_t intervals = int64_t{num_thresholds} + 1;
  const int64_t last = scores[1].value();
  const std::vector<int64_t> axes = {1}, starts = {last - 1}, ends = {last};
  const std::vector<int64_t> list = {-1}, column = {-1, 1};
  const V place = ops.cast(
      Times(ops, ops.cast(ops.slice(x, axes, starts, ends), DataType::kFloat32),
            num_thresholds),
      DataType::kInt64);
  const V labels = ops.cast(ops.reshape(label, list), DataType::kInt64);
  const V hit = ops.cast(ops.greater_than(labels, FullLike(ops, labels, 0)),
                         DataType::kInt64);
  const V miss = Linear(ops, hit, -1, 1);
  const std::vector<int64_t> extents = {intervals};
  const auto count = [&](const V& ones) {
    const V zeros =
        ops.reshape(FullLike(ops,
                             ops.arange(Scalar(int64_t{0}), Scalar(intervals),
                                        Scalar(int64_t{1}), DataType::kInt64),
                             0),
                    extents);
    return ops.scatter_nd_add(zeros, place, ones);
  };
  V positive, negative;
  const V next_pos =
      training::NextCounts(ops, ops.reshape(stat_pos, list), count(hit),
                           intervals, slide_steps, &positive);
  const V next_neg =
      training::NextCounts(ops, ops.reshape(stat_neg, list), count(miss),
                           intervals, slide_steps, &negative);
  if (auc != nullptr) *auc = training::Area(ops, positive, negative);
  const auto shaped = [&](const V& counts, const V& like) {
    std::vector<int64_t> shape;
    const Shape extents = ops.shape(like);
    for (const Dim dim : extents.dims()) {
      shape.push_back(dim.known() ? dim.value() : -1);
    }
    return ops.reshape(counts, shape);
  };
  if (stat_pos_out != nullptr) *stat_pos_out = shaped(next_pos, stat_pos);
  if (stat_neg_out != nullptr) *stat_neg_out = shaped(next_neg, stat_neg);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_TRAINING_H_
