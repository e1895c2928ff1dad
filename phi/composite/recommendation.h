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
#include "phi/composite/calls/of_recommendation.h"
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"
#include "phi/composite/lists.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// The number of columns that count something.
inline constexpr int64_t kCounts = 2;
inline constexpr int64_t kToTheEnd = std::numeric_limits<int64_t>::max();

// The columns of v from `begin` up to `end`. Part of the composites below, as
// are the next ones; not an operator's composite itself.
inline Value Columns(Ops& ops, const Value& v, int64_t begin, int64_t end) {
  return op::slice(ops, v, {int64_t{1}}, {begin}, {end});
}

// The matrices side by side.
inline Value SideBySide(Ops& ops, const std::vector<Value>& parts) {
  return Joined(ops, parts, 1);
}

// Fails unless v is a matrix.
inline void CheckMatrix(Ops& ops, std::string_view argument, const Value& v) {
  if (ops.shape(v).rank() == 2) return;
  ops.Fail(ArgumentError(argument, "of rank 2", ToString(ops.shape(v))));
}

// Returns what cvm makes of a matrix.
inline Value CountsTaken(Ops& ops, const Value& x, bool use_cvm) {
  const Dim width = ops.shape(x)[1];
  if (width.known() && width.value() < kCounts) {
    ops.Fail(ArgumentError("x", "of 2 columns or more", ToString(width)));
  }
  const Value rest = Columns(ops, x, kCounts, kToTheEnd);
  if (!use_cvm) return rest;
  const auto log_of_one_more = [&](int64_t column) {
    const Value counts = Columns(ops, x, column, column + 1);
    return op::log(ops, Linear(ops, counts, 1, 1));
  };
  const Value shows = log_of_one_more(0);
  const Value clicks = op::subtract(ops, log_of_one_more(1), shows);
  return SideBySide(ops, std::vector<Value>{shows, clicks, rest});
}

// Rows without what they count, or with the logarithms of that.
inline void Cvm(Ops& ops, const Value& x, const Value&, bool use_cvm,
                Value* out) {
  if (out == nullptr) return;
  *out = op::with_sequences(ops, CountsTaken(ops, x, use_cvm), x);
}

// The gradient of cvm as PaddlePaddle has it: the counts get `cvm`.
inline void CvmGrad(Ops& ops, const Value& x, const Value& cvm,
                    const Value& out_grad, bool use_cvm, Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value counts = op::expand_as(ops, cvm, Columns(ops, x, 0, kCounts));
  const Value rest =
      use_cvm ? Columns(ops, out_grad, kCounts, kToTheEnd) : out_grad;
  *x_grad = SideBySide(ops, std::vector<Value>{counts, rest});
}

// Returns the columns of each matrix that partial_concat takes.
inline std::vector<Value> PartsOf(Ops& ops, const List& x, int start_index,
                                  int length) {
  if (x.empty()) ops.Fail(ArgumentError("x", "at least one tensor", "none"));
  if (length < -1) {
    ops.Fail(ArgumentError("length", "-1 or more", std::to_string(length)));
  }
  std::vector<Value> parts;
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
inline void PartialConcat(Ops& ops, const List& x, int start_index, int length,
                          Value* out) {
  if (out == nullptr) return;
  *out = SideBySide(ops, PartsOf(ops, x, start_index, length));
}

// The sum of columns of several matrices.
inline void PartialSum(Ops& ops, const List& x, int start_index, int length,
                       Value* out) {
  if (out == nullptr) return;
  const std::vector<Value> parts = PartsOf(ops, x, start_index, length);
  *out = parts[0];
  for (size_t i = 1; i < parts.size(); ++i) {
    if (!MayEqual(ops.shape(x[i]), ops.shape(x[0]))) {
      return ops.Fail(
          ArgumentError("x", "of one shape", ToString(ops.shape(x[i]))));
    }
    *out = op::add(ops, *out, parts[i]);
  }
}

// A product of matrices and a bias for each slot.
inline void BatchFc(Ops& ops, const Value& input, const Value& w,
                    const Value& bias, Value* out) {
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
  *out = op::add(ops, op::bmm(ops, input, w),
                 op::unsqueeze(ops, bias, {int64_t{1}}));
}

// A row for each sequence of each tensor.
inline std::vector<Value> Pooled(Ops& ops, const List& x,
                                 std::string_view pooltype, int axis) {
  if (x.empty()) ops.Fail(ArgumentError("x", "at least one tensor", "none"));
  if (pooltype != "AVERAGE" && pooltype != "SUM" && pooltype != "SQRT") {
    ops.Fail(ArgumentError("pooltype", "AVERAGE, SUM or SQRT",
                           std::string(pooltype)));
  }
  if (axis != 1) ops.Fail(ArgumentError("axis", "1", std::to_string(axis)));
  std::vector<Value> rows;
  for (size_t i = 0; i < x.size(); ++i) {
    CheckMatrix(ops, "x", x[i]);
    rows.push_back(op::sequence_pool(ops, x[i], pooltype, 0.0f)[0]);
  }
  return rows;
}

// The rows that pooling makes of several tensors, side by side.
inline void FusionSeqpoolConcat(Ops& ops, const List& x,
                                std::string_view pooltype, int axis,
                                Value* out) {
  if (out == nullptr) return;
  *out = SideBySide(ops, Pooled(ops, x, pooltype, axis));
}

// The rows that pooling and cvm make of several tensors, side by side.
inline void FusionSeqpoolCvmConcat(Ops& ops, const List& x, const Value&,
                                   std::string_view pooltype, bool use_cvm,
                                   int axis, Value* out) {
  if (out == nullptr) return;
  std::vector<Value> rows;
  for (const Value& row : Pooled(ops, x, pooltype, axis)) {
    rows.push_back(CountsTaken(ops, row, use_cvm));
  }
  *out = SideBySide(ops, rows);
}

// The children of nodes of a tree, and which of them are leaves.
inline void TdmChild(Ops& ops, const Value& x, const Value& tree_info,
                     int child_nums, DataType dtype, Value* child,
                     Value* leaf_mask) {
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
  const Value nodes = op::reshape(ops, x, list);
  const Value zero = FullLike(ops, nodes, 0);
  const Value rows = op::gather(ops, tree_info, nodes, 0);
  const auto is_not_0 = [&](const Value& v) {
    return op::not_equal(ops, v, FullLike(ops, v, 0));
  };
  const Value has = op::logical_and(
      ops, op::reshape(ops, op::not_equal(ops, nodes, zero), upright),
      is_not_0(Columns(ops, rows, kFirstChild, kFirstChild + 1)));
  const Value listed = Columns(ops, rows, kFirstChild, width);
  const Value children = op::where(ops, has, listed, FullLike(ops, listed, 0));
  std::vector<int64_t> extents = Extents(ops.shape(x));
  if (!CanReshapeTo(extents)) return ops.Fail(UnknownShapeError("x"));
  extents.push_back(child_nums);
  const auto shaped = [&](const Value& v) {
    return ReshapeTo(ops, op::cast(ops, v, dtype), extents);
  };
  if (child != nullptr) *child = shaped(children);
  if (leaf_mask == nullptr) return;
  const Value items =
      op::gather(ops, op::reshape(ops, Columns(ops, tree_info, 0, 1), list),
                 op::reshape(ops, children, list), 0);
  const std::vector<int64_t> table = {-1, child_nums};
  *leaf_mask = shaped(
      op::logical_and(ops, has, is_not_0(op::reshape(ops, items, table))));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_RECOMMENDATION_H_
