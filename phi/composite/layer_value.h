// SPDX-License-Identifier: Apache-2.0
// Layers and losses that have kernels, made of operators: what they are where a
// policy or a device has none of these. Their gradients are in nn.h and loss.h.
#ifndef SWITCHYARD_PHI_COMPOSITE_LAYER_VALUE_H_
#define SWITCHYARD_PHI_COMPOSITE_LAYER_VALUE_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "framework/types/attr_arg.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/activation_value.h"
#include "phi/composite/calls/of_layer_value.h"
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"
#include "phi/composite/normalization.h"
#include "phi/composite/ops.h"
#include "phi/composite/reduced_shape.h"
#include "phi/composite/widening.h"

namespace switchyard::phi::composite {

// The sum over `axis`, of which there may be none, divided by how many they
// are.
inline void Mean(Ops& ops, const Value& x, AttrArg<IntArray> axis, bool keepdim,
                 Value* out) {
  if (out == nullptr) return;
  const Value wide = Widened(ops, x);
  const DataType dtype = ops.dtype(wide);
  const Value ones = FullLike(ops, wide, 1);
  *out = Narrowed(
      ops,
      op::divide(ops, op::sum(ops, wide, axis, DataType::kUndefined, keepdim),
                 op::sum(ops, ones, axis, dtype, keepdim)),
      ops.dtype(x));
}

// (x - mean) / sqrt(variance + epsilon) * scale + bias over the axes from
// `begin_norm_axis` on; also mean and variance of the rows.
inline void LayerNorm(Ops& ops, const Value& x, const Value& scale,
                      const Value& bias, double epsilon, int begin_norm_axis,
                      Value* out, Value* mean, Value* variance) {
  const Shape shape = ops.shape(x);
  const Value wide = Widened(ops, x);
  const normalization::Statistics statistics(
      ops, wide, normalization::AxesFrom(begin_norm_axis, shape.rank()),
      epsilon);
  const std::vector<int64_t> flat = {-1};
  if (mean != nullptr) *mean = op::reshape(ops, statistics.mean, flat);
  if (variance != nullptr) {
    *variance = op::reshape(ops, statistics.variance, flat);
  }
  if (out == nullptr) return;
  const std::vector<int64_t> all = Extents(shape);
  const std::vector<int64_t> own(all.begin() + begin_norm_axis, all.end());
  if ((ops.defined(scale) || ops.defined(bias)) && !CanReshapeTo(own)) {
    return ops.Fail(UnknownShapeError("x"));
  }
  Value normal = op::multiply(ops, op::subtract(ops, wide, statistics.mean),
                              statistics.inverse);
  if (ops.defined(scale)) {
    normal = op::multiply(ops, normal, ReshapeTo(ops, scale, own));
  }
  if (ops.defined(bias)) {
    normal = op::add(ops, normal, ReshapeTo(ops, bias, own));
  }
  *out = Narrowed(ops, normal, ops.dtype(x));
}

// Parts of BatchNorm, not operators' composites themselves.
namespace batch_norm {

using normalization::Moments;

// Chooses by how many elements a run finds in a channel: more than one, one, or
// none.
struct Count {
  Value is_some, is_many;  // [channels], bool.

  // `moment` is any of [channels].
  Count(Ops& ops, const Value& x, const std::vector<int64_t>& folded,
        const Value& moment) {
    const Value count = op::reshape(
        ops, CountReduced(ops, x, folded, ops.dtype(moment)), {int64_t{-1}});
    is_some = op::greater_than(ops, count, FullLike(ops, count, 0));
    is_many = op::greater_than(ops, count, FullLike(ops, count, 1));
  }
  // `none` where there are no elements, a number where there is one.
  Value Choose(Ops& ops, const Value& many, double one,
               const Value& none) const {
    return op::where(ops, is_many, many,
                     op::where(ops, is_some, FullLike(ops, none, one), none));
  }
};

// momentum * old + (1 - momentum) * now.
inline Value Running(Ops& ops, const Value& old, const Value& now,
                     double momentum) {
  return op::add(ops, Times(ops, old, momentum), Times(ops, now, 1 - momentum));
}

}  // namespace batch_norm

// (x - mean) / sqrt(variance + epsilon) * scale + bias by channel: with the
// running statistics, which stay, or with the batch's, which they take in. One
// element a channel is passed on as it is.
inline void BatchNorm(Ops& ops, const Value& x, const Value& mean,
                      const Value& variance, const Value& scale,
                      const Value& bias, bool is_test, AttrArg<double> momentum,
                      double epsilon, std::string_view data_format,
                      bool use_global_stats, bool trainable_statistics,
                      Value* out, Value* mean_out, Value* variance_out,
                      Value* saved_mean, Value* saved_variance) {
  using namespace batch_norm;  // NOLINT: this header's own parts
  const Shape shape = ops.shape(x);
  const int rank = shape.rank();
  const int channel =
      normalization::ChannelAxis(ops, "data_format", data_format, shape);
  std::vector<int64_t> folded, along(rank, 1);
  along[channel] = -1;
  Dim count(1);  // The elements of a channel.
  for (int axis = 0; axis < rank; ++axis) {
    if (axis == channel) continue;
    folded.push_back(axis);
    const auto product = Multiply(count, shape[axis]);
    if (!product.ok()) return ops.Fail(product.status());
    count = *product;
  }
  const Value wide = Widened(ops, x);
  const bool constant =
      (is_test && !trainable_statistics) || use_global_stats || count == Dim(0);
  const bool alone = !constant && count == Dim(1);
  Moments used = {mean, variance}, running = used;
  Value is_alone;  // Where a run finds out.
  if (alone) used = {FullLike(ops, mean, 0), FullLike(ops, variance, 1)};
  if (!constant && !alone) {
    const Moments found = normalization::GetMoments(ops, wide, folded);
    const std::vector<int64_t> flat = {-1};
    used = {op::reshape(ops, found.mean, flat),
            op::reshape(ops, found.variance, flat)};
    running = {Running(ops, mean, used.mean, momentum),
               Running(ops, variance, used.variance, momentum)};
  }
  if (!constant && !count.known()) {
    const Count found(ops, wide, folded, mean);
    running = {op::where(ops, found.is_many, running.mean, mean),
               op::where(ops, found.is_many, running.variance, variance)};
    used = {found.Choose(ops, used.mean, 0, mean),
            found.Choose(ops, used.variance, 1, variance)};
    is_alone = op::not_equal(ops, found.is_some, found.is_many);
  }
  const Value sum = Linear(ops, used.variance, 1, epsilon);
  const Value inverse =
      op::divide(ops, FullLike(ops, sum, 1), op::sqrt(ops, sum));
  if (mean_out != nullptr) *mean_out = running.mean;
  if (variance_out != nullptr) *variance_out = running.variance;
  if (saved_mean != nullptr) *saved_mean = used.mean;
  if (saved_variance != nullptr) *saved_variance = inverse;
  if (out == nullptr) return;
  if (alone) {
    *out = x;
    return;
  }
  const Value off = op::subtract(ops, wide, op::reshape(ops, used.mean, along));
  const Value normal = normalization::ScaledByChannel(
      ops, op::multiply(ops, off, op::reshape(ops, inverse, along)), scale,
      bias, channel);
  *out = Narrowed(ops, normal, ops.dtype(x));
  if (!ops.defined(is_alone)) return;
  *out = op::where(ops, op::reshape(ops, is_alone, along), x, *out);
}

// Rows of `weight`, of zeros for `padding_idx`.
inline void Embedding(Ops& ops, const Value& x, const Value& weight,
                      int64_t padding_idx, bool sparse, Value* out) {
  (void)sparse;  // It is about the gradient.
  if (out == nullptr) return;
  const std::vector<int64_t> last = {-1};
  const Value column = op::unsqueeze(ops, x, last);
  const Value rows = op::gather_nd(ops, weight, column);
  if (padding_idx == -1) {
    *out = rows;
    return;
  }
  const Value padding =
      op::full_like(ops, column, Scalar(padding_idx), DataType::kUndefined);
  *out = op::where(ops, op::equal(ops, column, padding), FullLike(ops, rows, 0),
                   rows);
}

// In the test phase alone: what it draws in training is its kernel's.
inline void Dropout(Ops& ops, const Value& x, const Value& rng, double p,
                    bool is_test, std::string_view mode, int64_t stream,
                    Value* out, Value* mask) {
  (void)rng, (void)stream;
  if (!is_test) {
    return ops.Fail(absl::UnimplementedError(
        "the operator is composed of others in the test phase alone"));
  }
  if (out != nullptr) {
    *out = mode == "upscale_in_train" ? x : Times(ops, x, 1 - p);
  }
  if (mask != nullptr) {
    *mask = op::full_like(ops, x, Scalar(1.0), DataType::kUInt8);
  }
}

// -log softmax(input) at the label; 0 where a hard one is ignored, or where a
// soft one is 0.
inline void CrossEntropyWithSoftmax(Ops& ops, const Value& input,
                                    const Value& label, bool soft_label,
                                    bool use_softmax, bool numeric_stable_mode,
                                    int ignore_index, int axis, Value* softmax,
                                    Value* loss) {
  (void)numeric_stable_mode;  // It always is.
  const DataType dtype = ops.dtype(input);
  const Value wide = Widened(ops, input);
  Value log;
  if (use_softmax) {
    LogSoftmax(ops, wide, axis, &log);
  } else {
    log = op::log(ops, wide);
  }
  if (softmax != nullptr) {
    *softmax = use_softmax ? Narrowed(ops, op::exp(ops, log), dtype) : input;
  }
  if (loss == nullptr) return;
  if (soft_label) {
    const Value weight = Widened(ops, label);
    const Value zero = FullLike(ops, weight, 0);
    const Value terms =
        op::where(ops, op::equal(ops, weight, zero), FullLike(ops, log, 0),
                  op::multiply(ops, weight, log));
    const std::vector<int64_t> axes = {axis};
    const Value total = activation_value::Total(ops, terms, axes);
    *loss = Narrowed(ops, Times(ops, total, -1), dtype);
    return;
  }
  Value classes = op::cast(ops, label, DataType::kInt64);
  if (ops.shape(label).rank() < ops.shape(input).rank()) {
    classes = op::unsqueeze(ops, classes, {int64_t{axis}});
  }
  const Value ignored = op::full_like(
      ops, classes, Scalar(int64_t{ignore_index}), DataType::kUndefined);
  const Value counts = op::not_equal(ops, classes, ignored);
  const Value found = op::take_along_axis(
      ops, log, op::where(ops, counts, classes, FullLike(ops, classes, 0)),
      axis);
  const Value losses =
      op::where(ops, counts, Times(ops, found, -1), FullLike(ops, found, 0));
  // InferMeta gives the loss the extents of `input`.
  const std::vector<int64_t> axes = {axis};
  *loss = Narrowed(
      ops, op::expand_as(ops, losses, activation_value::Total(ops, log, axes)),
      dtype);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_LAYER_VALUE_H_
