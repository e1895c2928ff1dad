// SPDX-License-Identifier: Apache-2.0
// Operators on rows of features, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_RECOMMENDATION_H_
#define SWITCHYARD_PHI_COMPOSITE_RECOMMENDATION_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/shape.h"
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"
#include "phi/composite/lists.h"

namespace switchyard::phi::composite {

// The number of columns that count something.
inline constexpr int64_t kCounts = 2;
inline constexpr int64_t kToTheEnd = std::numeric_limits<int64_t>::max();

// The columns of v from `begin` up to `end`. Part of the composites below, as
// are the next ones; not an operator's composite itself.
template <typename Ops, typename V>
V Columns(Ops& ops, const V& v, int64_t begin, int64_t end) {
  return ops.slice(v, {int64_t{1}}, {begin}, {end});
}

// The matrices side by side.
template <typename Ops, typename V>
V SideBySide(Ops& ops, const std::vector<V>& parts) {
  return Joined(ops, parts, 1);
}

// Fails unless v is a matrix.
template <typename Ops, typename V>
void CheckMatrix(Ops& ops, std::string_view argument, const V& v) {
  if (ops.shape(v).rank() == 2) return;
  ops.Fail(ArgumentError(argument, "of rank 2", ToString(ops.shape(v))));
}

// Returns what cvm makes of a matrix.
template <typename Ops, typename V>
V CountsTaken(Ops& ops, const V& x, bool use_cvm) {
  const Dim width = ops.shape(x)[1];
  if (width.known() && width.value() < kCounts) {
    ops.Fail(ArgumentError("x", "of 2 columns or more", ToString(width)));
  }
  const V rest = Columns(ops, x, kCounts, kToTheEnd);
  if (!use_cvm) return rest;
  const auto log_of_one_more = [&](int64_t column) {
    const V counts = Columns(ops, x, column, column + 1);
    return ops.log(Linear(ops, counts, 1, 1));
  };
  const V shows = log_of_one_more(0);
  const V clicks = ops.subtract(log_of_one_more(1), shows);
  return SideBySide(ops, std::vector<V>{shows, clicks, rest});
}

// Rows without what they count, or with the logarithms of that.
template <typename Ops, typename V = typename Ops::Value>
void Cvm(Ops& ops, const V& x, const V&, bool use_cvm, V* out) {
  if (out == nullptr) return;
  *out = ops.with_sequences(CountsTaken(ops, x, use_cvm), x);
}

// The gradient of cvm as PaddlePaddle has it: the counts get `cvm`.
template <typename Ops, typename V = typename Ops::Value>
void CvmGrad(Ops& ops, const V& x, const V& cvm, const V& out_grad,
             bool use_cvm, V* x_grad) {
  if (x_grad == nullptr) return;
  const V counts = ops.expand_as(cvm, Columns(ops, x, 0, kCounts));
  const V rest =
      use_cvm ? Columns(ops, out_grad, kCounts, kToTheEnd) : out_grad;
  *x_grad = SideBySide(ops, std::vector<V>{counts, rest});
}

// Returns the columns of each matrix that partial_concat takes.
template <typename Ops, typename V>
std::vector<V> PartsOf(Ops& ops, const typename Ops::List& x, int start_index,
                       int length) {
  if (x.empty()) ops.Fail(ArgumentError("x", "at least one tensor", "none"));
  if (length < -1) {
    ops.Fail(ArgumentError("length", "-1 or more", std::to_string(length)));
  }
  std::vector<V> parts;
  for (size_t i = 0; i < x.size(); ++i) {
    CheckMatrix(ops, "x", x[i]);
    const Dim width = ops.shape(x[i])[1];
    const int64_t begin = start_index;
    if (width.known()) {
      const int64_t at = begin < 0 ? begin + width.value() : begin;
      if (at < 0 || at > width.value() - std::max(length, 0)) {
        ops.Fail(ArgumentError("start_index",
                               "within " + ToString(width) + " columns",
                               std::to_string(start_index)));
      }
    }
    int64_t end = length < 0 ? kToTheEnd : begin + length;
    if (begin < 0 && end >= 0) end = kToTheEnd;
    parts.push_back(Columns(ops, x[i], begin, end));
  }
  return parts;
}

// Columns of several matrices side by side.
template <typename Ops, typename V = typename Ops::Value>
void PartialConcat(Ops& ops, const typename Ops::List& x, int start_index,
                   int length, V* out) {
  if (out == nullptr) return;
  *out = SideBySide(ops, PartsOf<Ops, V>(ops, x, start_index, length));
}

// The sum of columns of several matrices.
template <typename Ops, typename V = typename Ops::Value>
void PartialSum(Ops& ops, const typename Ops::List& x, int start_index,
                int length, V* out) {
  if (out == nullptr) return;
  const std::vector<V> parts = PartsOf<Ops, V>(ops, x, start_index, length);
  *out = parts[0];
  for (size_t i = 1; i < parts.size(); ++i) {
    if (!MayEqual(ops.shape(x[i]), ops.shape(x[0]))) {
      return ops.Fail(
          ArgumentError("x", "of one shape", ToString(ops.shape(x[i]))));
    }
    *out = ops.add(*out, parts[i]);
  }
}

// A product of matrices and a bias for each slot.
template <typename Ops, typename V = typename Ops::Value>
void BatchFc(Ops& ops, const V& input, const V& w, const V& bias, V* out) {
  if (out == nullptr) return;
  const Shape weights = ops.shape(w), given = ops.shape(bias);
  if (weights.rank() != 3) {
    return ops.Fail(ArgumentError("w", "of rank 3", ToString(weights)));
  }
  if (!MayEqual(given, Shape({weights[0], weights[2]}))) {
    return ops.Fail(ArgumentError(
        "bias", "of shape " + ToString(Shape({weights[0], weights[2]})),
        ToString(given)));
  }
  *out = ops.add(ops.bmm(input, w), ops.unsqueeze(bias, {int64_t{1}}));
}

// A row for each sequence of each tensor.
template <typename Ops, typename V>
std::vector<V> Pooled(Ops& ops, const typename Ops::List& x,
                      std::string_view pooltype, int axis) {
  if (x.empty()) ops.Fail(ArgumentError("x", "at least one tensor", "none"));
  if (pooltype != "AVERAGE" && pooltype != "SUM" && pooltype != "SQRT") {
    ops.Fail(ArgumentError("pooltype", "AVERAGE, SUM or SQRT",
                           std::string(pooltype)));
  }
  if (axis != 1) ops.Fail(ArgumentError("axis", "1", std::to_string(axis)));
  std::vector<V> rows;
  for (size_t i = 0; i < x.size(); ++i) {
    CheckMatrix(ops, "x", x[i]);
    rows.push_back(ops.sequence_pool(x[i], pooltype, 0.0f)[0]);
  }
  return rows;
}

// The rows that pooling makes of several tensors, side by side.
template <typename Ops, typename V = typename Ops::Value>
void FusionSeqpoolConcat(Ops& ops, const typename Ops::List& x,
                         std::string_view pooltype, int axis, V* out) {
  if (out == nullptr) return;
  *out = SideBySide(ops, Pooled<Ops, V>(ops, x, pooltype, axis));
}

// The rows that pooling and cvm make of several tensors, side by side.
template <typename Ops, typename V = typename Ops::Value>
void FusionSeqpoolCvmConcat(Ops& ops, const typename Ops::List& x, const V&,
                            std::string_view pooltype, bool use_cvm, int axis,
                            V* out) {
  if (out == nullptr) return;
  std::vector<V> rows;
  for (const V& row : Pooled<Ops, V>(ops, x, pooltype, axis)) {
    rows.push_back(CountsTaken(ops, row, use_cvm));
  }
  *out = SideBySide(ops, rows);
}

// The children of nodes of a tree, and which of them are leaves.
template <typename Ops, typename V = typename Ops::Value>
void TdmChild(Ops& ops, const V& x, const V& tree_info, int child_nums,
              DataType dtype, V* child, V* leaf_mask) {
  constexpr int64_t kFirstChild = 3;
  if (child_nums < 1) {
    return ops.Fail(
        ArgumentError("child_nums", "1 or more", std::to_string(child_nums)));
  }
  const Shape tree = ops.shape(tree_info);
  const int64_t width = kFirstChild + child_nums;
  if (tree.rank() != 2 || !MayEqual(tree[1], Dim(width))) {
    return ops.Fail(ArgumentError("tree_info",
                                  "of " + std::to_string(width) + " columns",
                                  ToString(tree)));
  }
  const std::vector<int64_t> list = {-1}, upright = {-1, 1};
  const V nodes = ops.reshape(x, list);
  const V zero = FullLike(ops, nodes, 0);
  const V rows = ops.gather(tree_info, nodes, 0);
  const auto is_not_0 = [&](const V& v) {
    return ops.not_equal(v, FullLike(ops, v, 0));
  };
  const V has = ops.logical_and(
      ops.reshape(ops.not_equal(nodes, zero), upright),
      is_not_0(Columns(ops, rows, kFirstChild, kFirstChild + 1)));
  const V listed = Columns(ops, rows, kFirstChild, width);
  const V children = ops.where(has, listed, FullLike(ops, listed, 0));
  std::vector<int64_t> extents = Extents(ops.shape(x));
  if (!CanReshapeTo(extents)) return ops.Fail(UnknownShapeError("x"));
  extents.push_back(child_nums);
  const auto shaped = [&](const V& v) {
    return ReshapeTo(ops, ops.cast(v, dtype), extents);
  };
  if (child != nullptr) *child = shaped(children);
  if (leaf_mask == nullptr) return;
  const V items = ops.gather(ops.reshape(Columns(ops, tree_info, 0, 1), list),
                             ops.reshape(children, list), 0);
  const std::vector<int64_t> table = {-1, child_nums};
  *leaf_mask =
      shaped(ops.logical_and(has, is_not_0(ops.reshape(items, table))));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_RECOMMENDATION_H_
