// SPDX-License-Identifier: Apache-2.0
// Gathers, scatters and masks. Negative indices count from the end.
#include <algorithm>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "static_graph/translate/onnx/expression.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_values.h"
#include "static_graph/translate/onnx/wide_integers.h"

namespace switchyard::static_graph {
namespace {

// Indices from the front, as int64.
ir::Value FromFront(OnnxCall& call, ir::Value index, ir::Value x, int axis) {
  index = Cast(call, index, DataType::kInt64);
  const std::optional<Integers> known = call.KnownIntegers(index);
  bool negative = !known.has_value();
  if (known.has_value()) {
    for (const int64_t one : *known) negative |= one < 0;
  }
  if (!negative || !call.ok()) return index;
  const ir::Value extent = Squeeze(call, Extent(call, x, axis), {0});
  const ir::Value below =
      call.Call("less_than", {index, NumberLike(call, index, 0)});
  const ir::Value moved = call.Call("add", {index, extent});
  return call.Call("where", {below, moved, index});
}

// Takes elements out of a list of which some are known, such as a shape; an
// extent that is known may decide a branch. Null where that is not so.
ir::Value ElementsAt(OnnxCall& call, ir::Value list, ir::Value index) {
  const std::optional<Integers> places = call.KnownIntegers(index);
  if (!places.has_value() || places->empty() || Rank(index) > 1) {
    return ir::Value();
  }
  const std::vector<ir::Value> elements = ElementsOf(call, list);
  const auto count = static_cast<int64_t>(elements.size());
  std::vector<ir::Value> chosen;
  for (const int64_t at : *places) {
    if (at < -count || at >= count) return ir::Value();
    chosen.push_back(elements[static_cast<size_t>(at < 0 ? at + count : at)]);
  }
  if (Rank(index) == 0) return Squeeze(call, chosen[0], {0});
  if (chosen.size() == 1) return chosen[0];
  return call.Call("concat", {chosen}, {{"axis", 0}});
}

void Gather(OnnxCall& call) {
  const ir::Value x = call.In(0);
  ir::Value index = call.In(1);
  if (!call.ok()) return;
  const int axis = call.Axis(call.Int("axis", 0), Rank(x));
  if (!call.ok()) return;
  if (const ir::Value part = ElementsAt(call, x, index)) {
    return call.Out(0, part);
  }
  index = FromFront(call, index, x, axis);
  const int rank = Rank(index);
  const auto& dims = ShapeOf(index).dims();
  // An extent of 0 would be one to copy where the result is reshaped.
  const bool empty = std::find(dims.begin(), dims.end(), Dim(0)) != dims.end();
  std::vector<ir::Value> extents;
  for (int i = 0; i < Rank(x) && rank > 1; ++i) {
    if (i != axis) {
      extents.push_back(Extent(call, x, i));
      continue;
    }
    for (const ir::Value one : AllExtents(call, index)) extents.push_back(one);
  }
  if (rank > 1 && empty) {
    return call.Out(0, Cast(call,
                            call.Call("full", {},
                                      {{"shape", extents},
                                       {"value", Scalar(0.0)},
                                       {"dtype", DataType::kFloat32}}),
                            DtypeOf(x)));
  }
  const ir::Value flat = rank == 1 ? index : Reshape(call, index, {-1});
  ir::Value y = call.Call("index_select", {x, flat}, {{"axis", axis}});
  if (rank == 0) y = Squeeze(call, y, {axis});
  if (rank > 1) y = ReshapeTo(call, y, extents);
  call.Out(0, y);
}

// One axis that has more elements than the indices have, and the tensor before
// it was cut.
struct CutAxis {
  int axis;
  ir::Value whole;
  ir::Value end;
};

// Cuts the axes beside `axis` where the indices may have fewer elements.
ir::Value CutToIndex(OnnxCall& call, ir::Value x, ir::Value index, int axis,
                     std::vector<CutAxis>* cuts) {
  if (call.ok() && Rank(index) != Rank(x)) {
    call.Fail(ArgumentError("indices", "of the rank of the data",
                            ToString(ShapeOf(index))));
  }
  for (int i = 0; call.ok() && i < Rank(x); ++i) {
    const Dim have = ShapeOf(x)[i], need = ShapeOf(index)[i];
    if (i == axis || have == need) continue;
    const ir::Value end = Extent(call, index, i);
    const std::optional<Integers> known = call.KnownIntegers(end);
    cuts->push_back({i, x, end});
    x = call.Call("slice", {x},
                  {{"axes", Integers{i}},
                   {"starts", Integers{0}},
                   known.has_value() ? OnnxAttribute("ends", *known)
                                     : OnnxAttribute("ends", end)});
  }
  return x;
}

void GatherElements(OnnxCall& call) {
  ir::Value x = call.In(0);
  const ir::Value index = call.In(1);
  if (!call.ok()) return;
  const int axis = call.Axis(call.Int("axis", 0), Rank(x));
  std::vector<CutAxis> cuts;
  x = CutToIndex(call, x, index, axis, &cuts);
  call.Out(0, call.Call("take_along_axis", {x, FromFront(call, index, x, axis)},
                        {{"axis", axis}}));
}

// The first `count` axes as one: the product of their extents comes first.
ir::Value Joined(OnnxCall& call, ir::Value x, int count) {
  return call.Call("flatten", {x},
                   {{"start_axis", 0}, {"stop_axis", count - 1}});
}

// With batch_dims the batches are one axis, whose number leads each index.
void GatherND(OnnxCall& call) {
  const auto batches = static_cast<int>(call.Int("batch_dims", 0));
  const ir::Value x = call.In(0);
  const ir::Value index = Cast(call, call.In(1), DataType::kInt64);
  if (!call.ok()) return;
  if (batches == 0) {
    return call.Out(0, call.Call("gather_nd", {x, index}));
  }
  const int rank = Rank(index);
  if (batches < 0 || batches >= rank || batches >= Rank(x)) {
    return call.Fail(
        ArgumentError("batch_dims", "below both ranks", absl::StrCat(batches)));
  }
  const ir::Value rows = Joined(call, index, batches);
  ir::Value number = Places(call, rows, 0);
  Integers after;
  for (int i = 1; i < Rank(rows); ++i) after.push_back(i);
  number = Unsqueeze(call, number, after);
  const ir::Value first = Slice(call, rows, Rank(rows) - 1, 0, 1);
  number = call.Call("add", {call.Call("zeros_like", {first}), number});
  const std::vector<ir::Value> parts = {number, rows};
  const ir::Value y = call.Call(
      "gather_nd", {Joined(call, x, batches),
                    call.Call("concat", {parts}, {{"axis", Rank(rows) - 1}})});
  std::vector<ir::Value> extents;
  for (int i = 0; i < batches; ++i) extents.push_back(Extent(call, x, i));
  for (int i = 1; call.ok() && i < Rank(y); ++i) {
    extents.push_back(Extent(call, y, i));
  }
  call.Out(0, ReshapeTo(call, y, extents));
}

// Integers for which nothing puts elements; bools too.
bool IsShort(DataType dtype) {
  return !IsFloating(dtype) && !IsComplex(dtype) && dtype != DataType::kInt32 &&
         dtype != DataType::kInt64;
}

bool IsWideUnsigned(DataType dtype) {
  return IsUnsigned(dtype) && dtype != DataType::kUInt8;
}

// Puts elements where the indices say, reduced as the node says.
ir::Value Put(OnnxCall& call, ir::Value x, ir::Value index, ir::Value values,
              int axis) {
  const DataType dtype = DtypeOf(x);
  const std::string name = call.Text("reduction", "none");
  if (!call.ok()) return ir::Value();
  if (IsShort(dtype)) {
    const bool compared = name == "max" || name == "min";
    const auto wide = compared ? InOrderOf : WithBitsOf;
    const ir::Value y =
        Put(call, wide(call, x), index, wide(call, values), axis);
    return compared ? OutOfOrder(call, y, dtype) : Cast(call, y, dtype);
  }
  std::string ours = name == "none" ? "assign" : name;
  if (ours == "assign" || ours == "add") {
    return call.Call("put_along_axis", {x, index, values},
                     {{"axis", axis}, {"reduce", ours}});
  }
  if (name == "max") ours = "amax";
  if (name == "min") ours = "amin";
  return call.Call("legacy_put_along_axis", {x, index, values},
                   {{"axis", axis}, {"reduce", ours}});
}

// The data beside the indices stay as they are.
void ScatterElements(OnnxCall& call) {
  ir::Value x = call.In(0);
  const ir::Value index = call.In(1);
  if (!call.ok()) return;
  const int axis = call.Axis(call.Int("axis", 0), Rank(x));
  std::vector<CutAxis> cuts;
  x = CutToIndex(call, x, index, axis, &cuts);
  x = Put(call, x, FromFront(call, index, x, axis), call.In(2), axis);
  for (size_t i = cuts.size(); i-- > 0 && call.ok();) {
    constexpr int64_t kEnd = std::numeric_limits<int32_t>::max();
    const Integers axes = {cuts[i].axis};
    const std::optional<Integers> known = call.KnownIntegers(cuts[i].end);
    const ir::Value rest =
        call.Call("slice", {cuts[i].whole},
                  {{"axes", axes},
                   known.has_value() ? OnnxAttribute("starts", *known)
                                     : OnnxAttribute("starts", cuts[i].end),
                   {"ends", Integers{kEnd}}});
    const std::vector<ir::Value> parts = {x, rest};
    x = call.Call("concat", {parts}, {{"axis", cuts[i].axis}});
  }
  call.Out(0, x);
}

// Rows of the first axes together, at indices of one number each.
void ScatterRows(OnnxCall& call) {
  const Expression x(call, call.In(0));
  const Expression index(call, Cast(call, call.In(1), DataType::kInt64));
  if (!call.ok()) return;
  const int rank = Rank(x), last = Rank(index) - 1;
  const Dim width = last < 0 ? Dim(0) : ShapeOf(index)[last];
  if (!width.known() || width.value() < 1 || width.value() > rank) {
    return call.Fail(ArgumentError("indices", "of 1 to rank numbers each",
                                   ToString(ShapeOf(index))));
  }
  const auto joined = static_cast<int>(width.value());
  std::optional<Expression> row;
  for (int i = 0; i < joined && call.ok(); ++i) {
    const Expression extent(call, Extent(call, x, i));
    const Expression at(call, Slice(call, index, last, i, i + 1));
    const Expression from = (at < 0.0).Where(at + extent, at);
    row = row.has_value() ? *row * extent + from : from;
  }
  if (!call.ok()) return;
  const ir::Value rows = joined == 1 ? ir::Value(x) : Joined(call, x, joined);
  const std::vector<ir::Value> flat = {Extent(call, rows, 0),
                                       IntegerList(call, {-1})};
  const auto columns = [&](ir::Value value, ir::Value count) {
    return ReshapeTo(call, value, {count, IntegerList(call, {-1})});
  };
  const ir::Value table = columns(rows, flat[0]);
  const ir::Value places = Reshape(call, *row, {-1, 1});
  const ir::Value updates = columns(call.In(2), Extent(call, places, 0));
  const ir::Value every =
      call.Call("add", {places, call.Call("zeros_like", {updates},
                                          {{"dtype", DataType::kInt64}})});
  const ir::Value y = Put(call, table, every, updates, 0);
  call.Out(0, ReshapeTo(call, y, AllExtents(call, x)));
}

void ScatterND(OnnxCall& call) {
  const std::string reduction = call.Text("reduction", "none");
  const ir::Value x = call.In(0);
  if (!call.ok()) return;
  const DataType dtype = DtypeOf(x);
  const bool adds = reduction == "add" && !IsShort(dtype);
  if ((reduction != "none" && !adds) || IsWideUnsigned(dtype)) {
    return ScatterRows(call);
  }
  call.Out(
      0, call.Call(reduction == "add" ? "scatter_nd_add" : "scatter_nd_update",
                   {x, call.In(1), call.In(2)}));
}

void NonZero(OnnxCall& call) {
  ir::Value x = call.In(0);
  if (call.ok() && IsWideUnsigned(DtypeOf(x))) {
    x = call.Call("not_equal", {x, NumberLike(call, x, 0)});
  }
  call.Out(0, Transpose(call, call.Call("nonzero", {x}), {1, 0}));
}

// Without an axis the input is one row.
void Compress(OnnxCall& call) {
  ir::Value x = call.In(0);
  const ir::Value mask = call.In(1);
  if (!call.ok()) return;
  int axis = 0;
  if (call.HasAttr("axis")) {
    axis = call.Axis(call.Int("axis", 0), Rank(x));
  } else {
    x = Reshape(call, x, {-1});
  }
  const ir::Value places = Reshape(call, call.Call("nonzero", {mask}), {-1});
  call.Out(0, call.Call("index_select", {x, places}, {{"axis", axis}}));
}

// The values are those of off and on, and indices out of range have none.
void OneHot(OnnxCall& call) {
  ir::Value index = Cast(call, call.In(0), DataType::kInt64);
  const ir::Value depth =
      Reshape(call, Cast(call, call.In(1), DataType::kInt64), {1});
  const ir::Value values = call.In(2);
  if (!call.ok()) return;
  const int rank = Rank(index);
  const int axis = call.Axis(call.Int("axis", -1), rank + 1);
  const ir::Value zero = NumberLike(call, index, 0);
  const ir::Value moved = call.Call("add", {index, Squeeze(call, depth, {0})});
  index =
      call.Call("where", {call.Call("less_than", {index, zero}), moved, index});
  index = Unsqueeze(call, index, {axis});
  ir::Value numbers = call.Call("arange", {},
                                {{"start", IntegerList(call, {0})},
                                 {"end", depth},
                                 {"step", IntegerList(call, {1})},
                                 {"dtype", DataType::kInt64}});
  Integers after;
  for (int i = axis; i < rank; ++i) {
    after.push_back(static_cast<int64_t>(after.size()) + 1);
  }
  numbers = Unsqueeze(call, numbers, after);
  const ir::Value hit = call.Call("equal", {index, numbers});
  const ir::Value off = Slice(call, values, 0, 0, 1);
  const ir::Value on = Slice(call, values, 0, 1, 2);
  call.Out(0, call.Call("where", {hit, on, off}));
}

// A diagonal whose number is computed: an element is kept by its column less
// its row.
ir::Value TriangleFrom(OnnxCall& call, ir::Value x, ir::Value diagonal) {
  const int rank = Rank(x);
  if (call.ok() && rank < 2) call.Refuse("the input must have two axes");
  if (!call.ok()) return ir::Value();
  const ir::Value rows = Unsqueeze(call, Places(call, x, rank - 2), {1});
  const ir::Value from =
      call.Call("subtract", {Places(call, x, rank - 1), rows});
  const bool upper = call.Flag("upper", true);
  const ir::Value kept = call.Call(upper ? "greater_equal" : "less_equal",
                                   {from, Reshape(call, diagonal, {1})});
  return call.Call("where", {kept, x, call.Call("zeros_like", {x})});
}

void Trilu(OnnxCall& call) {
  int64_t diagonal = 0;
  if (call.Has(1)) {
    const std::optional<Integers> known = call.KnownIntegers(call.In(1));
    if (!known.has_value() || known->size() != 1) {
      return call.Out(0, TriangleFrom(call, call.In(0), call.In(1)));
    }
    diagonal = std::clamp<int64_t>((*known)[0], -(1 << 30), 1 << 30);
  }
  call.Out(0, call.Call(call.Flag("upper", true) ? "triu" : "tril",
                        {call.In(0)}, {{"diagonal", diagonal}}));
}

constexpr OnnxLowering kLowerings[] = {
    {"Compress", Compress},
    {"Gather", Gather},
    {"GatherElements", GatherElements},
    {"GatherND", GatherND},
    {"NonZero", NonZero},
    {"OneHot", OneHot},
    {"Scatter", ScatterElements},
    {"ScatterElements", ScatterElements},
    {"ScatterND", ScatterND},
    {"Trilu", Trilu},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxIndexLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
