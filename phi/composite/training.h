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
#include "phi/composite/calls/of_training.h"
#include "phi/composite/elements.h"
#include "phi/composite/ops.h"
#include "phi/composite/root.h"
#include "phi/composite/widening.h"

namespace switchyard::phi::composite {

// Parts of the composites below, not operators' composites themselves.
namespace training {

// The root of the sum of squares, of rank 0; of halves through float32.
inline Value Norm(Ops& ops, const Value& v) {
  const std::vector<int64_t> all;
  const Value squares = op::square(ops, Widened(ops, v));
  const Value root =
      op::sqrt(ops, op::sum(ops, squares, all, DataType::kUndefined, false));
  return Narrowed(ops, root, ops.dtype(v));
}

inline Value IsPositive(Ops& ops, const Value& v) {
  return op::greater_than(ops, v, FullLike(ops, v, 0));
}

// Takes the elements of a list from `first` to `last`, not included.
inline Value Part(Ops& ops, const Value& list, int64_t first, int64_t last) {
  const std::vector<int64_t> axes = {0}, starts = {first}, ends = {last};
  return op::slice(ops, list, axes, starts, ends);
}

// `part` in a list of zeros with `before` elements before it and `after` after
// it.
inline Value Placed(Ops& ops, const Value& part, int64_t before,
                    int64_t after) {
  const std::vector<int64_t> paddings = {before, after};
  return op::pad(ops, part, paddings, Scalar(int64_t{0}));
}

// The counts of one kind of scores after a batch that has `added` of them;
// *total gets those that the area is of. `counts` is laid out as auc says.
inline Value NextCounts(Ops& ops, const Value& counts, const Value& added,
                        int64_t intervals, int64_t steps, Value* total) {
  if (steps == 0) return *total = op::add(ops, counts, added);
  const std::vector<int64_t> table = {steps, intervals}, column = {steps, 1};
  const std::vector<int64_t> first = {0};
  const int64_t end = steps * intervals;
  const Value batches = Part(ops, counts, end + intervals, end + intervals + 1);
  const Value place =
      op::remainder(ops, batches, FullLike(ops, batches, steps));
  const Value numbers =
      op::reshape(ops,
                  op::arange(ops, Scalar(int64_t{0}), Scalar(steps),
                             Scalar(int64_t{1}), DataType::kInt64),
                  column);
  const Value here = op::equal(ops, numbers, place);
  const Value rows = op::reshape(ops, Part(ops, counts, 0, end), table);
  const Value replaced =
      op::sum(ops, op::where(ops, here, rows, FullLike(ops, rows, 0)), first,
              DataType::kUndefined, false);
  *total = op::add(
      ops, op::subtract(ops, Part(ops, counts, end, end + intervals), replaced),
      added);
  const Value next = op::where(ops, here, added, rows);
  const Value sums =
      op::add(ops, Placed(ops, op::flatten(ops, next, 0, -1), 0, intervals),
              Placed(ops, *total, end, 0));
  const Value grown = Linear(ops, batches, 1, 1);
  return op::add(ops, Placed(ops, sums, 0, 1),
                 Placed(ops, grown, end + intervals, 0));
}

// The area under the curve of the counts, from the highest interval down.
inline Value Area(Ops& ops, const Value& positive, const Value& negative) {
  const std::vector<int64_t> all;
  const Value hits = op::cast(ops, positive, DataType::kFloat64);
  const Value misses = op::cast(ops, negative, DataType::kFloat64);
  const Value above = op::cumsum(ops, hits, 0, false, false, /*reverse=*/true);
  const Value mean = op::subtract(ops, above, Times(ops, hits, 0.5));
  const auto sum = [&](const Value& v) {
    return op::sum(ops, v, all, DataType::kUndefined, false);
  };
  const Value area = sum(op::multiply(ops, misses, mean));
  const Value all_hits = sum(hits), all_misses = sum(misses);
  const Value both = op::logical_and(ops, IsPositive(ops, all_hits),
                                     IsPositive(ops, all_misses));
  const Value whole = op::multiply(ops, all_hits, all_misses);
  return op::divide(ops, area,
                    op::where(ops, both, whole, FullLike(ops, whole, 1)));
}

}  // namespace training

inline void SquaredL2Norm(Ops& ops, const Value& x, Value* out) {
  if (out == nullptr) return;
  if (!IsFloating(ops.dtype(x))) {
    return ops.Fail(TypeError("x", "floating", Name(ops.dtype(x))));
  }
  const std::vector<int64_t> first = {0};
  const Value row = Widened(ops, op::flatten(ops, x, 0, -1));
  const Value total =
      op::sum(ops, op::square(ops, row), first, DataType::kUndefined, true);
  *out = Narrowed(ops, total, ops.dtype(x));
}

inline void ClipByNorm(Ops& ops, const Value& x, double max_norm, Value* out) {
  if (out == nullptr) return;
  if (!(max_norm > 0)) {
    return ops.Fail(
        ArgumentError("max_norm", "over 0", std::to_string(max_norm)));
  }
  const Value wide = Widened(ops, x);
  const std::vector<int64_t> all;
  const Value norm = RootOfSum(ops, op::sum(ops, op::square(ops, wide), all,
                                            DataType::kUndefined, false));
  const Value limit = FullLike(ops, norm, max_norm);
  // 1 where the norm is small enough: x stays, and so does its gradient.
  const Value divisor =
      op::where(ops, op::greater_than(ops, norm, limit), norm, limit);
  const Value scaled = op::multiply(ops, wide, op::divide(ops, limit, divisor));
  *out = Narrowed(ops, scaled, ops.dtype(x));
}

inline void LarsMomentum(Ops& ops, const Value& param, const Value& velocity,
                         const Value& grad, const Value& learning_rate,
                         double mu, double lars_coeff,
                         absl::Span<const float> lars_weight_decay,
                         double epsilon, double rescale_grad, Value* param_out,
                         Value* velocity_out) {
  if (lars_weight_decay.size() != 1) {
    return ops.Fail(ArgumentError("lars_weight_decay", "one number",
                                  std::to_string(lars_weight_decay.size())));
  }
  const double decay = lars_weight_decay[0];
  const auto times = [&](const Value& v, double factor) {
    return Times(ops, v, factor);
  };
  const Value scaled = times(grad, rescale_grad);
  Value rate = learning_rate;
  if (decay > 0) {
    const Value size = training::Norm(ops, param);
    const Value slope = training::Norm(ops, scaled);
    const Value both = op::logical_and(ops, training::IsPositive(ops, size),
                                       training::IsPositive(ops, slope));
    const Value sum =
        Linear(ops, op::add(ops, slope, times(size, decay)), 1, epsilon);
    const Value own = op::multiply(
        ops, learning_rate, op::divide(ops, times(size, lars_coeff), sum));
    rate = op::where(ops, both, own, learning_rate);
  }
  const Value step =
      op::multiply(ops, op::add(ops, scaled, times(param, decay)), rate);
  const Value next = op::add(ops, times(velocity, mu), step);
  if (velocity_out != nullptr) *velocity_out = next;
  if (param_out != nullptr) *param_out = op::subtract(ops, param, next);
}

inline void CheckFiniteAndUnscale(Ops& ops, const List& x, const Value& scale,
                                  OutputList out, Value* found_infinite) {
  const std::vector<int64_t> all, one = {1};
  if (x.empty()) {
    return ops.Fail(ArgumentError("x", "one tensor or more", "none"));
  }
  Value finite;
  for (size_t i = 0; i < x.size(); ++i) {
    const Value here = op::all(ops, op::isfinite(ops, x[i]), all, false);
    finite = i == 0 ? here : op::logical_and(ops, finite, here);
  }
  if (found_infinite != nullptr) {
    *found_infinite = op::reshape(ops, op::logical_not(ops, finite), one);
  }
  const Value factor = op::reshape(ops, scale, all);
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] != nullptr) *out[i] = op::divide(ops, x[i], factor);
  }
}

inline void UpdateLossScaling(Ops& ops, const List& x,
                              const Value& found_infinite,
                              const Value& prev_loss_scaling,
                              const Value& in_good_steps,
                              const Value& in_bad_steps, int incr_every_n_steps,
                              int decr_every_n_nan_or_inf, float incr_ratio,
                              float decr_ratio, bool stop_update,
                              OutputList out, Value* loss_scaling,
                              Value* out_good_steps, Value* out_bad_steps) {
  const auto count = ops.shape(found_infinite).NumElements();
  if (ops.shape(found_infinite).known() && (!count.ok() || *count != 1)) {
    return ops.Fail(ArgumentError("found_infinite", "of one element",
                                  ToString(ops.shape(found_infinite))));
  }
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] == nullptr) continue;
    *out[i] = op::where(ops, found_infinite, FullLike(ops, x[i], 0), x[i]);
  }
  if (stop_update) {
    if (loss_scaling != nullptr)
      *loss_scaling = op::assign(ops, prev_loss_scaling);
    if (out_good_steps != nullptr)
      *out_good_steps = op::assign(ops, in_good_steps);
    if (out_bad_steps != nullptr)
      *out_bad_steps = op::assign(ops, in_bad_steps);
    return;
  }
  const auto times = [&](float factor) {
    return Times(ops, prev_loss_scaling, factor);
  };
  const auto next = [&](const Value& count) {
    return Linear(ops, count, 1, 1);
  };
  const auto is = [&](const Value& count, int number) {
    return op::equal(ops, count, FullLike(ops, count, number));
  };
  const Value none = FullLike(ops, in_good_steps, 0);
  const Value good = next(in_good_steps), bad = next(in_bad_steps);
  const Value grows = is(good, incr_every_n_steps);
  const Value shrinks = is(bad, decr_every_n_nan_or_inf);
  const Value larger = times(incr_ratio);
  const Value grown =
      op::where(ops, op::isfinite(ops, larger), larger, prev_loss_scaling);
  const Value shrunk =
      op::maximum(ops, times(decr_ratio), FullLike(ops, prev_loss_scaling, 1));
  if (loss_scaling != nullptr) {
    *loss_scaling = op::where(
        ops, found_infinite, op::where(ops, shrinks, shrunk, prev_loss_scaling),
        op::where(ops, grows, grown, prev_loss_scaling));
  }
  if (out_good_steps != nullptr) {
    *out_good_steps =
        op::where(ops, found_infinite, none, op::where(ops, grows, none, good));
  }
  if (out_bad_steps != nullptr) {
    *out_bad_steps = op::where(ops, found_infinite,
                               op::where(ops, shrinks, none, bad), none);
  }
}

inline void CoalesceTensor(Ops& ops, const List& input, OutputList output,
                           Value* fused_output) {
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
  Value all;
  int64_t before = 0;
  for (size_t i = 0; i < input.size(); ++i) {
    if (i < output.size() && output[i] != nullptr) {
      *output[i] = op::assign(ops, input[i]);
    }
    const int64_t count = *ops.shape(input[i]).NumElements();
    const Value placed = training::Placed(
        ops, op::flatten(ops, input[i], 0, -1), before, total - before - count);
    all = i == 0 ? placed : op::add(ops, all, placed);
    before += count;
  }
  if (fused_output != nullptr) *fused_output = all;
}

inline void LegacyDataNormGrad(Ops& ops, const Value& x, const Value& means,
                               const Value& scales, const Value& scale_w,
                               const Value& out_grad, float epsilon,
                               int slot_dim, bool enable_scale_and_shift,
                               Value* x_grad, Value* batch_size_grad,
                               Value* batch_sum_grad,
                               Value* batch_square_sum_grad,
                               Value* scale_w_grad, Value* bias_grad) {
  if (slot_dim > 0) {
    return ops.Fail(ArgumentError("slot_dim", "-1", std::to_string(slot_dim)));
  }
  const std::vector<int64_t> rows = {0};
  const auto sum = [&](const Value& v) {
    return op::sum(ops, v, rows, DataType::kUndefined, false);
  };
  if (enable_scale_and_shift && !ops.defined(scale_w)) {
    return ops.Fail(ArgumentError("scale_w", "given", "none"));
  }
  const Value size = sum(FullLike(ops, x, 1));
  const Value apart = op::subtract(ops, x, means);
  if (x_grad != nullptr) {
    const Value slope = op::multiply(ops, out_grad, scales);
    *x_grad =
        enable_scale_and_shift ? op::multiply(ops, slope, scale_w) : slope;
  }
  if (batch_size_grad != nullptr) *batch_size_grad = size;
  if (batch_sum_grad != nullptr) *batch_sum_grad = sum(x);
  if (batch_square_sum_grad != nullptr) {
    *batch_square_sum_grad =
        op::add(ops, sum(op::square(ops, apart)), Times(ops, size, epsilon));
  }
  if (scale_w_grad != nullptr) {
    *scale_w_grad =
        sum(op::multiply(ops, out_grad, op::multiply(ops, apart, scales)));
  }
  if (bias_grad != nullptr) *bias_grad = sum(out_grad);
}

inline void Auc(Ops& ops, const Value& x, const Value& label,
                const Value& stat_pos, const Value& stat_neg,
                std::string_view curve, int num_thresholds, int slide_steps,
                Value* auc, Value* stat_pos_out, Value* stat_neg_out) {
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
  const Value place =
      op::cast(ops,
               Times(ops,
                     op::cast(ops, op::slice(ops, x, axes, starts, ends),
                              DataType::kFloat32),
                     num_thresholds),
               DataType::kInt64);
  const Value labels =
      op::cast(ops, op::reshape(ops, label, list), DataType::kInt64);
  const Value hit =
      op::cast(ops, op::greater_than(ops, labels, FullLike(ops, labels, 0)),
               DataType::kInt64);
  const Value miss = Linear(ops, hit, -1, 1);
  const std::vector<int64_t> extents = {intervals};
  const auto count = [&](const Value& ones) {
    const Value zeros = op::reshape(
        ops,
        FullLike(ops,
                 op::arange(ops, Scalar(int64_t{0}), Scalar(intervals),
                            Scalar(int64_t{1}), DataType::kInt64),
                 0),
        extents);
    return op::scatter_nd_add(ops, zeros, place, ones);
  };
  Value positive, negative;
  const Value next_pos =
      training::NextCounts(ops, op::reshape(ops, stat_pos, list), count(hit),
                           intervals, slide_steps, &positive);
  const Value next_neg =
      training::NextCounts(ops, op::reshape(ops, stat_neg, list), count(miss),
                           intervals, slide_steps, &negative);
  if (auc != nullptr) *auc = training::Area(ops, positive, negative);
  const auto shaped = [&](const Value& counts, const Value& like) {
    std::vector<int64_t> shape;
    const Shape extents = ops.shape(like);
    for (const Dim dim : extents.dims()) {
      shape.push_back(dim.known() ? dim.value() : -1);
    }
    return op::reshape(ops, counts, shape);
  };
  if (stat_pos_out != nullptr) *stat_pos_out = shaped(next_pos, stat_pos);
  if (stat_neg_out != nullptr) *stat_neg_out = shaped(next_neg, stat_neg);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_TRAINING_H_
