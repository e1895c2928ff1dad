// SPDX-License-Identifier: Apache-2.0
// Unique, of all elements or of the parts of an axis, and ReverseSequence.
#include <utility>
#include <vector>

#include "static_graph/translate/onnx/expression.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_values.h"
#include "static_graph/translate/onnx/sequence/sequences.h"
#include "static_graph/translate/onnx/wide_integers.h"

namespace switchyard::static_graph {
namespace {

using Values = std::vector<ir::Value>;

// Which of its distinct elements each one of a row is, in ascending order: as
// many as there are changes before it in the row that is sorted.
Expression Numbers(OnnxCall& call, ir::Value x) {
  const auto sorted = [&](ir::Value list) {
    const Values results =
        call.CallAll("argsort", {list}, {{"axis", 0}, {"stable", true}});
    return results.size() < 2 ? Values(2) : results;
  };
  const Values row = sorted(x);
  const Values before = {Slice(call, row[0], 0, 0, 1),
                         Slice(call, row[0], 0, 0, -1)};
  const ir::Value changes = call.Call(
      "not_equal", {row[0], call.Call("concat", {before}, {{"axis", 0}})});
  const ir::Value numbers = call.Call(
      "cumsum", {Cast(call, changes, DataType::kInt64)}, {{"axis", 0}});
  return {call, call.Call("index_select", {numbers, sorted(row[1])[1]},
                          {{"axis", 0}})};
}

// Which of the distinct rows of [rows, columns] each row is, in their order: by
// the first column, then by the second, and so on.
ir::Value NumbersOfRows(OnnxCall& call, ir::Value x) {
  CountedLoop loop;
  loop.count = Reshape(call, Extent(call, x, 1), {});
  loop.carried = {Places(call, x, 0)};
  if (!call.ok()) return ir::Value();
  loop.carried[0] = call.Call("zeros_like", {loop.carried[0]});
  loop.step =
      [&](OnnxCall& inside, ir::Value i,
          absl::Span<const ir::Value> before) -> absl::StatusOr<Values> {
    const ir::Value column =
        Squeeze(inside,
                inside.Call("index_select", {x, Reshape(inside, i, {1})},
                            {{"axis", 1}}),
                {1});
    const Expression rows(inside, Extent(inside, x, 0));
    const ir::Value pairs =
        Expression(inside, before[0]) * rows + Numbers(inside, column);
    const Values next = {Numbers(inside, pairs)};
    SY_RETURN_IF_ERROR(inside.status());
    return next;
  };
  const Values results = Repeat(call, loop);
  return call.ok() ? results[0] : ir::Value();
}

void Unique(OnnxCall& call) {
  const ir::Value x = call.In(0);
  if (!call.ok()) return;
  const bool flat = !call.HasAttr("axis");
  const int axis = flat ? 0 : call.Axis(call.Int("axis", 0), Rank(x));
  const ir::Value parts = flat ? Reshape(call, x, {-1}) : x;
  ir::Value keys = InOrderOf(call, parts);
  if (!flat) {
    Integers order = {axis};
    for (int i = 0; i < Rank(x); ++i) {
      if (i != axis) order.push_back(i);
    }
    const ir::Value rows = Transpose(call, keys, order);
    keys = NumbersOfRows(
        call, ReshapeTo(call, rows,
                        {Extent(call, rows, 0), IntegerList(call, {-1})}));
  }
  const Values found = call.CallAll("unique", {keys});
  if (!call.ok()) return;
  Expression inverse(call, found[1]);
  Expression counts(call, found[2]);
  const auto order_of = [&](const Expression& list) {
    const Values results =
        call.CallAll("argsort", {list}, {{"axis", 0}, {"stable", true}});
    return results.size() < 2 ? ir::Value() : results[1];
  };
  const auto picked = [&](ir::Value list, ir::Value at) {
    return Expression(call,
                      call.Call("index_select", {list, at}, {{"axis", 0}}));
  };
  // The first place of each: after all places of lesser elements.
  const Expression row = inverse.Of("reshape", {{"shape", Integers{-1}}});
  Expression first = picked(
      order_of(row), counts.Of("cumsum", {{"axis", 0}, {"exclusive", true}}));
  if (!call.Flag("sorted", true)) {
    const ir::Value order = order_of(first);
    first = picked(first, order);
    counts = picked(counts, order);
    inverse = picked(order_of(Expression(call, order)), inverse);
  }
  call.Out(0, call.Call("index_select", {parts, first}, {{"axis", axis}}));
  call.Out(1, first);
  call.Out(2, inverse);
  call.Out(3, counts);
}

// The first elements of each row backwards: those before its length.
void ReverseSequence(OnnxCall& call) {
  ir::Value x = call.In(0);
  const Expression lengths(call, Cast(call, call.In(1), DataType::kInt64));
  const bool time_first = call.Int("time_axis", 0) == 0;
  if (time_first == (call.Int("batch_axis", 1) == 0)) {
    return call.Fail(ArgumentError("time_axis and batch_axis",
                                   "0 and 1, or 1 and 0", "others"));
  }
  if (!call.ok()) return;
  Integers order(static_cast<size_t>(Rank(x)));
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  if (time_first) std::swap(order[0], order[1]);
  x = Transpose(call, x, order);  // [batch, time, ...]
  const Values extents = AllExtents(call, x);
  const Expression time(call, Places(call, x, 1));
  const Expression length = lengths.Unsqueeze({1});
  const Expression from = (time < length).Where(length - 1.0 - time, time);
  const Expression rows(call, Places(call, x, 0));
  const ir::Value places = Reshape(
      call, from + rows.Unsqueeze({1}) * Expression(call, extents[1]), {-1});
  const ir::Value flat =
      call.Call("flatten", {x}, {{"start_axis", 0}, {"stop_axis", 1}});
  const ir::Value y = call.Call("index_select", {flat, places}, {{"axis", 0}});
  call.Out(0, Transpose(call, ReshapeTo(call, y, extents), order));
}

constexpr OnnxLowering kLowerings[] = {{"ReverseSequence", ReverseSequence},
                                       {"Unique", Unique}};

}  // namespace

absl::Span<const OnnxLowering> OnnxUniqueLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
