// SPDX-License-Identifier: Apache-2.0
// Slice: ranges of axes, known or computed.
#include <algorithm>
#include <limits>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_values.h"

namespace switchyard::static_graph {
namespace {

struct Range {
  Integers starts, ends, axes, steps;
};

// Reads the ranges; nothing where an input is computed.
std::optional<Range> ReadRange(OnnxCall& call, ir::Value x) {
  constexpr int64_t kInputs = 10;
  Range range;
  if (call.version() < kInputs) {
    range.starts = call.Ints("starts");
    range.ends = call.Ints("ends");
    range.axes = call.Ints("axes");
  } else {
    const std::optional<Integers> starts = call.KnownIntegers(call.In(1));
    const std::optional<Integers> ends = call.KnownIntegers(call.In(2));
    if (!starts.has_value() || !ends.has_value()) return std::nullopt;
    range.starts = *starts;
    range.ends = *ends;
    const auto known = [&](int input, Integers* list) {
      if (!call.Has(input)) return true;
      const std::optional<Integers> numbers =
          call.KnownIntegers(call.In(input));
      if (numbers.has_value()) *list = *numbers;
      return numbers.has_value();
    };
    if (!known(3, &range.axes) || !known(4, &range.steps)) return std::nullopt;
  }
  if (range.axes.empty()) {
    range.axes.resize(range.starts.size());
    std::iota(range.axes.begin(), range.axes.end(), 0);
  }
  if (range.steps.empty()) range.steps.assign(range.starts.size(), 1);
  if (range.axes.size() != range.starts.size() ||
      range.ends.size() != range.starts.size() ||
      range.steps.size() != range.starts.size()) {
    call.Fail(ArgumentError("starts, ends, axes and steps", "of equal lengths",
                            "others"));
  }
  for (int64_t& axis : range.axes) axis = call.Axis(axis, Rank(x));
  return range;
}

// Lists of as many numbers as `axes` has. Fails for others.
bool CheckLists(OnnxCall& call, const std::vector<ir::Value>& lists) {
  for (const ir::Value list : lists) {
    if (!call.ok()) return false;
    const Shape& shape = ShapeOf(list);
    const bool same = shape.rank() == 1 && shape[0].known() &&
                      shape[0] == ShapeOf(lists[0])[0];
    if (same) continue;
    call.Fail(ArgumentError("starts, ends, axes and steps",
                            "of equal lengths that are known", "others"));
  }
  return call.ok();
}

// Computed ranges, as lists of int64.
struct RangeValues {
  ir::Value axes, starts, ends, steps;
};

// The places of an axis that the range of it names, in order: all of them if it
// names none.
ir::Value PlacesOf(OnnxCall& call, const RangeValues& range, ir::Value x,
                   int axis) {
  const ir::Value zero = IntegerList(call, {0});
  const ir::Value one = IntegerList(call, {1});
  const ir::Value minus = IntegerList(call, {-1});
  const ir::Value extent = Extent(call, x, axis);
  const ir::Value hit = call.Call(
      "logical_or",
      {call.Call("equal", {range.axes, IntegerList(call, {axis})}),
       call.Call("equal", {range.axes, IntegerList(call, {axis - Rank(x)})})});
  const ir::Value named =
      call.Call("any", {hit}, {{"axis", Integers{0}}, {"keepdim", true}});
  // The number of the list at the axis.
  const auto number = [&](ir::Value list, ir::Value none) {
    const ir::Value picked =
        call.Call("sum", {call.Call("where", {hit, list, zero})},
                  {{"axis", Integers{0}},
                   {"keepdim", true},
                   {"dtype", DataType::kInt64}});
    return call.Call("where", {named, picked, none});
  };
  const auto from_front = [&](ir::Value at) {
    return call.Call("where", {call.Call("less_than", {at, zero}),
                               call.Call("add", {at, extent}), at});
  };
  const auto within = [&](ir::Value at, ir::Value least, ir::Value most) {
    return call.Call("minimum", {call.Call("maximum", {at, least}), most});
  };
  const ir::Value step = number(range.steps, one);
  const ir::Value back = call.Call("less_than", {step, zero});
  const ir::Value last = call.Call("add", {extent, minus});
  const ir::Value least = call.Call("where", {back, minus, zero});
  const ir::Value most = call.Call("where", {back, last, extent});
  const ir::Value start = within(from_front(number(range.starts, zero)), zero,
                                 call.Call("where", {back, last, extent}));
  const ir::Value end =
      within(from_front(number(range.ends, extent)), least, most);
  return call.Call("arange", {},
                   {{"start", start},
                    {"end", end},
                    {"step", step},
                    {"dtype", DataType::kInt64}});
}

// One axis of a slice with a negative step: that of the axis turned round.
ir::Value SliceBackwards(OnnxCall& call, ir::Value x, int axis, int64_t start,
                         int64_t end, int64_t step) {
  const Dim dim = ShapeOf(x)[axis];
  if (!dim.known() && start < -1) {
    // Whether the axis has such a place, the program knows when it runs.
    const RangeValues range = {
        IntegerList(call, {axis}), IntegerList(call, {start}),
        IntegerList(call, {end}), IntegerList(call, {step})};
    return call.Call("index_select", {x, PlacesOf(call, range, x, axis)},
                     {{"axis", axis}});
  }
  const ir::Value turned = call.Call("flip", {x}, {{"axis", Integers{axis}}});
  // A place i from the front is i + 1 from the end of the axis turned round.
  if (!dim.known()) {
    return Slice(call, turned, axis, -1 - start, -1 - end, -step);
  }
  const int64_t extent = dim.value();
  if (extent == 0) return x;
  if (start < 0) start += extent;
  if (end < 0 && end >= -extent) end += extent;
  start = std::clamp<int64_t>(start, 0, extent - 1);
  end = std::clamp<int64_t>(end, -1, extent - 1);
  return Slice(call, turned, axis, extent - 1 - start,
               std::max(extent - 1 - start, extent - 1 - end), -step);
}

// Ranges that are computed: our slice takes starts and ends when the program
// runs, and others are the places that they name.
void SliceByValues(OnnxCall& call, ir::Value x) {
  RangeValues range;
  range.starts = Cast(call, call.In(1), DataType::kInt64);
  range.ends = Cast(call, call.In(2), DataType::kInt64);
  if (!CheckLists(call, {range.starts, range.ends})) return;
  const auto count = static_cast<size_t>(ShapeOf(range.starts)[0].value());
  Integers first(count);
  std::iota(first.begin(), first.end(), 0);
  range.axes = call.Has(3) ? Cast(call, call.In(3), DataType::kInt64)
                           : IntegerList(call, first);
  range.steps = call.Has(4) ? Cast(call, call.In(4), DataType::kInt64)
                            : IntegerList(call, Integers(count, 1));
  if (!CheckLists(call, {range.starts, range.axes, range.steps})) return;
  const std::optional<Integers> axes = call.KnownIntegers(range.axes);
  const std::optional<Integers> steps = call.KnownIntegers(range.steps);
  if (axes.has_value() && steps == Integers(count, 1)) {
    return call.Out(0, call.Call("slice", {x},
                                 {{"axes", *axes},
                                  {"starts", range.starts},
                                  {"ends", range.ends}}));
  }
  ir::Value y = x;
  for (int axis = 0; axis < Rank(x) && call.ok(); ++axis) {
    const bool stays =
        axes.has_value() &&
        std::none_of(axes->begin(), axes->end(), [&](int64_t one) {
          return one == axis || one == axis - Rank(x);
        });
    if (stays) continue;
    y = call.Call("index_select", {y, PlacesOf(call, range, x, axis)},
                  {{"axis", axis}});
  }
  call.Out(0, y);
}

void Slice(OnnxCall& call) {
  ir::Value x = call.In(0);
  if (!call.ok()) return;
  const std::optional<Range> range = ReadRange(call, x);
  if (!call.ok()) return;
  if (!range.has_value()) return SliceByValues(call, x);
  for (size_t i = 0; i < range->axes.size() && call.ok(); ++i) {
    const int axis = static_cast<int>(range->axes[i]);
    const int64_t step = range->steps[i];
    if (step == 0) return call.Fail(ArgumentError("steps", "not 0", "0"));
    if (step == std::numeric_limits<int64_t>::min()) {
      return call.Fail(ArgumentError("steps", "greater", "the least int64"));
    }
    x = step > 0 ? Slice(call, x, axis, range->starts[i], range->ends[i], step)
                 : SliceBackwards(call, x, axis, range->starts[i],
                                  range->ends[i], step);
  }
  call.Out(0, x);
}

constexpr OnnxLowering kLowerings[] = {{"Slice", Slice}};

}  // namespace

absl::Span<const OnnxLowering> OnnxSliceLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
