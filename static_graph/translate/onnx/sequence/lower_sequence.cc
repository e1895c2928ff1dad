// SPDX-License-Identifier: Apache-2.0
// Sequences, as tensor arrays, and optionals. Whether an optional holds
// something must be known during translation.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "static_graph/dialect/cf_dialect.h"
#include "static_graph/foreign/onnx/element_type.h"
#include "static_graph/translate/onnx/expression.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_values.h"
#include "static_graph/translate/onnx/sequence/sequences.h"

namespace switchyard::static_graph {
namespace {

using Values = std::vector<ir::Value>;

// The first input as an array. Fails for another kind.
ir::Value Sequence(OnnxCall& call) {
  const ir::Value value = call.In(0);
  if (!call.ok()) return ir::Value();
  if (value.tensor_type().kind() != TensorKind::kTensorArray) {
    call.Fail(ArgumentError("input", "a sequence", "a tensor"));
  }
  return value;
}

// A position from the front, an int64 of no axes; `length` counts those there
// are.
ir::Value FromFront(OnnxCall& call, int input, ir::Value length) {
  const ir::Value at =
      Reshape(call, Cast(call, call.In(input), DataType::kInt64), {});
  const std::optional<Integers> known = call.KnownIntegers(at);
  if (known.has_value() && known->size() == 1 && (*known)[0] >= 0) return at;
  const ir::Value below = call.Call("less_than", {at, NumberLike(call, at, 0)});
  return call.Call("where", {below, call.Call("add", {at, length}), at});
}

void SequenceConstruct(OnnxCall& call) {
  const Values values = call.AllInputs();
  if (!call.ok()) return;
  if (values.empty()) {
    return call.Fail(ArgumentError("inputs", "one at least", "none"));
  }
  call.Out(0, ArrayOf(call, values));
}

// The first tensor that is put in decides the rank of the elements.
void SequenceEmpty(OnnxCall& call) {
  constexpr int64_t kFloat = 1;
  const DataType dtype =
      call.Checked(DataTypeOfOnnx(call.Int("dtype", kFloat)));
  call.Out(0, EmptyArray(call, dtype, 0));
}

void SequenceAt(OnnxCall& call) {
  const ir::Value array = Sequence(call);
  const ir::Value at = FromFront(call, 1, LengthOf(call, array));
  call.Out(0, call.Call("array_read", {array, at}));
}

void SequenceLength(OnnxCall& call) {
  call.Out(0, LengthOf(call, Sequence(call)));
}

// One element, from one of two places: `other` where the condition holds.
absl::StatusOr<Values> Choose(OnnxCall& call, ir::Value condition,
                              ir::Value other, ir::Value array, ir::Value at) {
  return BuildIf(
      call.builder(), condition,
      [&](ir::Builder&) -> absl::StatusOr<Values> { return Values{other}; },
      [&](ir::Builder& builder) -> absl::StatusOr<Values> {
        OnnxCall inside = CallAt(call, builder);
        const Values read = {inside.Call("array_read", {array, at})};
        SY_RETURN_IF_ERROR(inside.status());
        return read;
      });
}

void SequenceInsert(OnnxCall& call) {
  const ir::Value array = Sequence(call);
  const ir::Value tensor = call.In(1);
  if (!call.ok()) return;
  if (!call.Has(2) || TakesAnyElement(array)) {
    return call.Out(0, Append(call, array, tensor));
  }
  const ir::Value length = LengthOf(call, array);
  const ir::Value place = FromFront(call, 2, length);
  CountedLoop loop;
  loop.count = call.Call("add", {length, NumberLike(call, length, 1)});
  loop.collected = 1;
  loop.step = [&](OnnxCall& inside, ir::Value i,
                  absl::Span<const ir::Value>) -> absl::StatusOr<Values> {
    const ir::Value later = inside.Call("less_than", {place, i});
    const ir::Value from =
        inside.Call("subtract", {i, Cast(inside, later, DataType::kInt64)});
    const ir::Value here = inside.Call("equal", {place, i});
    SY_RETURN_IF_ERROR(inside.status());
    return Choose(inside, here, tensor, array, from);
  };
  const Values results = Repeat(call, loop);
  if (call.ok()) call.Out(0, results[0]);
}

void SequenceErase(OnnxCall& call) {
  const ir::Value array = Sequence(call);
  if (!call.ok()) return;
  // An array of nothing has no element to erase: no run takes such a branch.
  if (TakesAnyElement(array)) return call.Out(0, array);
  std::optional<Integers> known = Integers{-1};
  if (call.Has(1)) known = call.KnownIntegers(call.In(1));
  if (known.has_value() && known->size() == 1) {
    return call.Out(0,
                    call.Call("array_pop", {array}, {{"index", (*known)[0]}}));
  }
  const Expression length(call, LengthOf(call, array));
  const Expression place(call, FromFront(call, 1, length));
  if (!call.ok()) return;
  // The loop goes on for a place beyond the ends, and fails as it reads there.
  const Expression missing = (place < 0.0).Or(place >= length);
  CountedLoop loop;
  loop.count = length - 1.0 + missing.As(DataType::kInt64) * 2.0;
  loop.collected = 1;
  loop.step = [&](OnnxCall& inside, ir::Value i,
                  absl::Span<const ir::Value>) -> absl::StatusOr<Values> {
    const ir::Value later = inside.Call(
        "logical_or", {missing, inside.Call("less_equal", {place, i})});
    const ir::Value from =
        inside.Call("add", {i, Cast(inside, later, DataType::kInt64)});
    const Values read = {inside.Call("array_read", {array, from})};
    SY_RETURN_IF_ERROR(inside.status());
    return read;
  };
  const Values results = Repeat(call, loop);
  if (call.ok()) call.Out(0, results[0]);
}

void ConcatFromSequence(OnnxCall& call) {
  const ir::Value array = Sequence(call);
  call.Out(0, call.Call("array_to_tensor", {array},
                        {{"axis", call.Int("axis", 0)},
                         {"use_stack", call.Flag("new_axis", false)}}));
}

// Returns the index at which each piece of an axis ends.
ir::Value EndsOfPieces(OnnxCall& call, ir::Value x, int axis) {
  const ir::Value sizes =
      call.Has(1) ? Cast(call, call.In(1), DataType::kInt64) : ir::Value();
  if (!call.ok()) return ir::Value();
  if (sizes && Rank(sizes) == 1) {
    return call.Call("cumsum", {sizes}, {{"axis", 0}});
  }
  const ir::Value size =
      sizes ? Reshape(call, sizes, {1}) : IntegerList(call, {1});
  const ir::Value extent = Extent(call, x, axis);
  const ir::Value before_last = call.Call(
      "add", {extent, call.Call("subtract", {size, IntegerList(call, {1})})});
  const ir::Value last =
      call.Call("add", {before_last, IntegerList(call, {1})});
  const ir::Value ends = call.Call("arange", {},
                                   {{"start", size},
                                    {"end", last},
                                    {"step", size},
                                    {"dtype", DataType::kInt64}});
  return call.Call("minimum", {ends, extent});
}

void SplitToSequence(OnnxCall& call) {
  const ir::Value x = call.In(0);
  if (!call.ok()) return;
  const int axis = call.Axis(call.Int("axis", 0), Rank(x));
  const bool drops = !call.Has(1) && !call.Flag("keepdims", true);
  const ir::Value ends = EndsOfPieces(call, x, axis);
  if (!call.ok()) return;
  CountedLoop loop;
  loop.count = Reshape(call, Extent(call, ends, 0), {});
  loop.carried = {IntegerList(call, {0})};
  loop.collected = 1;
  loop.step = [&](OnnxCall& inside, ir::Value i,
                  absl::Span<const ir::Value> start) -> absl::StatusOr<Values> {
    const ir::Value end = inside.Call(
        "index_select", {ends, Reshape(inside, i, {1})}, {{"axis", 0}});
    ir::Value piece = inside.Call(
        "slice", {x},
        {{"axes", Integers{axis}}, {"starts", start[0]}, {"ends", end}});
    if (drops) piece = Squeeze(inside, piece, {axis});
    SY_RETURN_IF_ERROR(inside.status());
    return Values{end, piece};
  };
  const Values results = Repeat(call, loop);
  if (call.ok()) call.Out(0, results[1]);
}

// Replaces an optional by the value that it holds; one that holds none has no
// value here.
void Optional(OnnxCall& call) {
  if (call.Has(0)) return call.Out(0, call.In(0));
  if (call.Wants(0)) call.scope().SetAbsent(call.op().outputs[0].variables[0]);
}

void OptionalHasElement(OnnxCall& call) {
  call.Out(0, Number(call, call.Has(0) ? 1 : 0, DataType::kBool));
}

void Same(OnnxCall& call) { call.Out(0, call.In(0)); }

constexpr OnnxLowering kLowerings[] = {
    {"ConcatFromSequence", ConcatFromSequence},
    {"Identity", Same},
    {"Optional", Optional},
    {"OptionalGetElement", Same},
    {"OptionalHasElement", OptionalHasElement},
    {"SequenceAt", SequenceAt},
    {"SequenceConstruct", SequenceConstruct},
    {"SequenceEmpty", SequenceEmpty},
    {"SequenceErase", SequenceErase},
    {"SequenceInsert", SequenceInsert},
    {"SequenceLength", SequenceLength},
    {"SplitToSequence", SplitToSequence},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxSequenceLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
