// SPDX-License-Identifier: Apache-2.0
// Pad.
#include <algorithm>
#include <limits>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "static_graph/translate/onnx/expression.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_values.h"

namespace switchyard::static_graph {
namespace {

constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();

// The sizes at both ends of each axis, in order: negative ones cut off.
ir::Value CutOff(OnnxCall& call, ir::Value x, Integers* pads) {
  const size_t rank = pads->size() / 2;
  for (size_t i = 0; i < rank && call.ok(); ++i) {
    const int64_t before = (*pads)[i], after = (*pads)[rank + i];
    if (before >= 0 && after >= 0) continue;
    x = Slice(call, x, static_cast<int>(i), std::max<int64_t>(0, -before),
              after < 0 ? after : kEnd);
    (*pads)[i] = std::max<int64_t>(0, before);
    (*pads)[rank + i] = std::max<int64_t>(0, after);
  }
  return x;
}

// Returns the index that each element of a padded axis is taken from.
Integers SourceOf(const std::string& mode, int64_t extent, int64_t before,
                  int64_t after) {
  Integers sources;
  for (int64_t i = -before; i < extent + after; ++i) {
    int64_t at = i;
    if (mode == "edge") {
      at = std::clamp<int64_t>(i, 0, extent - 1);
    } else if (mode == "wrap") {
      at = ((i % extent) + extent) % extent;
    } else {
      const int64_t period = std::max<int64_t>(1, 2 * (extent - 1));
      at = ((i % period) + period) % period;
      at = std::min(at, period - at);
      if (extent == 1) at = 0;
    }
    sources.push_back(at);
  }
  return sources;
}

// Pads one axis of an extent, or by numbers, that are computed and not
// negative: selects the elements of the result by where they come from.
ir::Value PadAxisByPlaces(OnnxCall& call, ir::Value x, const std::string& mode,
                          int axis, const Expression& before,
                          const Expression& after) {
  const Expression extent(call, Extent(call, x, axis));
  const Expression at(call, call.Call("arange", {},
                                      {{"start", before.Minus()},
                                       {"end", extent + after},
                                       {"step", IntegerList(call, {1})},
                                       {"dtype", DataType::kInt64}}));
  ir::Value from;
  if (mode == "edge") {
    from = at.With("maximum", 0.0).With("minimum", extent - 1.0);
  } else if (mode == "wrap") {
    from = at.With("remainder", extent);
  } else {
    const Expression period = ((extent - 1.0) * 2.0).With("maximum", 1.0);
    const Expression within = at.With("remainder", period);
    from =
        within.With("minimum", period - within).With("minimum", extent - 1.0);
  }
  return call.Call("index_select", {x, from}, {{"axis", axis}});
}

ir::Value PadByIndex(OnnxCall& call, ir::Value x, const std::string& mode,
                     const Integers& pads) {
  const size_t rank = pads.size() / 2;
  for (size_t i = 0; i < rank && call.ok(); ++i) {
    if (pads[i] == 0 && pads[rank + i] == 0) continue;
    const Dim dim = ShapeOf(x)[static_cast<int>(i)];
    constexpr int64_t kMost = 1 << 20;
    if (!dim.known() || dim.value() == 0 || pads[i] > kMost ||
        pads[rank + i] > kMost || dim.value() > kMost) {
      const auto pad = [&](size_t at) {
        return Expression(call, IntegerList(call, {pads[at]}));
      };
      x = PadAxisByPlaces(call, x, mode, static_cast<int>(i), pad(i),
                          pad(rank + i));
      continue;
    }
    const ir::Value sources =
        IntegerList(call, SourceOf(mode, dim.value(), pads[i], pads[rank + i]));
    x = call.Call("index_select", {x, sources},
                  {{"axis", static_cast<int>(i)}});
  }
  return x;
}

// Pads with zeros where the pads are computed; then the number stands where
// nothing of x does.
ir::Value PadByValue(OnnxCall& call, ir::Value x, const OnnxAttribute& pads,
                     ir::Value number) {
  if (!number) return call.Call("pad", {x}, {pads});
  const ir::Value inside = call.Call(
      "pad", {call.Call("ones_like", {x}, {{"dtype", DataType::kFloat32}})},
      {pads});
  const ir::Value padded = call.Call("pad", {x}, {pads});
  const ir::Value is_inside =
      call.Call("greater_than", {inside, NumberLike(call, inside, 0)});
  return call.Call("where", {is_inside, padded, Reshape(call, number, {1})});
}

// Computed pads of edges and mirrors, which are not negative: the elements of
// each axis by where they come from.
ir::Value PadByPlaces(OnnxCall& call, ir::Value x, const std::string& mode,
                      const Expression& pads) {
  const int rank = Rank(x);
  for (int i = 0; i < rank && call.ok(); ++i) {
    const auto side = [&](int64_t at) {
      return Expression(call, Slice(call, pads, 0, at, at + 1));
    };
    x = PadAxisByPlaces(call, x, mode, i, side(i), side(rank + i));
  }
  return x;
}

// Computed pads of some axes as those of all `rank`.
ir::Value OfAllAxes(OnnxCall& call, ir::Value pads, int rank) {
  const std::optional<Integers> axes = call.KnownIntegers(call.In(3));
  if (!call.ok()) return ir::Value();
  if (!axes.has_value()) {
    call.Refuse("the axes of computed pads must be known before the run");
    return ir::Value();
  }
  std::vector<ir::Value> all(2 * static_cast<size_t>(rank),
                             IntegerList(call, {0}));
  const auto count = static_cast<int64_t>(axes->size());
  for (int64_t i = 0; i < count && call.ok(); ++i) {
    const int axis = call.Axis((*axes)[static_cast<size_t>(i)], rank);
    for (const int side : {0, 1}) {
      const int64_t from = i + side * count;
      all[static_cast<size_t>(axis + side * rank)] =
          Slice(call, pads, 0, from, from + 1);
    }
  }
  return call.Call("concat", {all}, {{"axis", 0}});
}

// Computed pads, which are not negative: ours has both of an axis side by side.
void PadByValues(OnnxCall& call, ir::Value x) {
  ir::Value pads = Cast(call, call.In(1), DataType::kInt64);
  if (call.Has(3)) pads = OfAllAxes(call, pads, Rank(x));
  const std::string mode = call.Text("mode", "constant");
  if (mode != "constant") {
    return call.Out(0, PadByPlaces(call, x, mode, Expression(call, pads)));
  }
  const ir::Value pairs =
      Transpose(call, Reshape(call, pads, {2, Rank(x)}), {1, 0});
  const ir::Value flat = Reshape(call, pairs, {2 * Rank(x)});
  call.Out(0, PadByValue(call, x, {"paddings", flat},
                         call.Has(2) ? call.In(2) : ir::Value()));
}

void Pad(OnnxCall& call) {
  ir::Value x = call.In(0);
  std::optional<Integers> given;
  if (call.HasAttr("pads")) {
    given = call.Ints("pads");
  } else {
    given = call.KnownIntegers(call.In(1));
  }
  if (!call.ok()) return;
  if (!given.has_value()) return PadByValues(call, x);
  const size_t rank = static_cast<size_t>(Rank(x));
  Integers axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (call.Has(3)) axes = call.AttrOrInput("axes", 3).value_or(axes);
  if (given->size() != 2 * axes.size()) {
    return call.Fail(ArgumentError("pads", "two numbers for each axis",
                                   absl::StrCat(given->size())));
  }
  Integers pads(2 * rank);
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis =
        static_cast<size_t>(call.Axis(axes[i], static_cast<int>(rank)));
    if (!call.ok()) return;
    pads[axis] = (*given)[i];
    pads[rank + axis] = (*given)[axes.size() + i];
  }
  x = CutOff(call, x, &pads);
  const std::string mode = call.Text("mode", "constant");
  if (mode != "constant") {
    return call.Out(0, PadByIndex(call, x, mode, pads));
  }
  Integers pairs;
  for (size_t i = 0; i < rank; ++i) {
    pairs.push_back(pads[i]);
    pairs.push_back(pads[rank + i]);
  }
  double fill = call.Float("value", 0);
  if (call.Has(2)) {
    const auto number = call.KnownNumbers(call.In(2));
    if (!number.has_value() || number->size() != 1) {
      return call.Out(0, PadByValue(call, x, {"paddings", pairs}, call.In(2)));
    }
    fill = (*number)[0];
  }
  call.Out(0,
           call.Call("pad", {x}, {{"paddings", pairs}, {"pad_value", fill}}));
}

// Returns one axis of CenterCropPad, where an extent is known when the program
// runs: the element of each place of the result, or zero beside the input.
ir::Value Centred(OnnxCall& call, ir::Value x, int axis, ir::Value wanted) {
  const ir::Value two = IntegerList(call, {2}), zero = IntegerList(call, {0});
  const ir::Value have = Extent(call, x, axis);
  const auto half = [&](ir::Value more, ir::Value less) {
    return call.Call(
        "floor_divide",
        {call.Call("maximum", {call.Call("subtract", {more, less}), zero}),
         two});
  };
  const ir::Value shift =
      call.Call("subtract", {half(have, wanted), half(wanted, have)});
  const ir::Value places = call.Call("arange", {},
                                     {{"start", zero},
                                      {"end", wanted},
                                      {"step", IntegerList(call, {1})},
                                      {"dtype", DataType::kInt64}});
  const ir::Value from = call.Call("add", {places, shift});
  const ir::Value inside =
      call.Call("logical_and", {call.Call("greater_equal", {from, zero}),
                                call.Call("less_than", {from, have})});
  const ir::Value last = call.Call("subtract", {have, IntegerList(call, {1})});
  const ir::Value y = call.Call(
      "index_select",
      {x, call.Call("minimum", {call.Call("maximum", {from, zero}), last})},
      {{"axis", axis}});
  Integers after;
  for (int i = axis + 1; i < Rank(x); ++i) after.push_back(i - axis);
  return call.Call("where",
                   {Unsqueeze(call, inside, after), y, NumberLike(call, y, 0)});
}

// The middle of x, or zeros around it; an odd element more is at the end.
void CenterCropPad(OnnxCall& call) {
  ir::Value x = call.In(0);
  const std::optional<Integers> goal = call.KnownIntegers(call.In(1));
  if (!call.ok()) return;
  Integers axes = call.Ints("axes");
  for (int i = 0; i < Rank(x) && !call.HasAttr("axes"); ++i) {
    axes.push_back(i);
  }
  if (goal.has_value() && goal->size() != axes.size()) {
    return call.Refuse("the shape must have an extent for each axis");
  }
  Integers pairs(2 * static_cast<size_t>(Rank(x)), 0);
  for (size_t i = 0; i < axes.size() && call.ok(); ++i) {
    const int axis = call.Axis(axes[i], Rank(x));
    const Dim dim = ShapeOf(x)[axis];
    if (!goal.has_value() || !dim.known()) {
      const auto at = static_cast<int64_t>(i);
      x = Centred(
          call, x, axis,
          Cast(call, Slice(call, call.In(1), 0, at, at + 1), DataType::kInt64));
      continue;
    }
    const int64_t wanted = (*goal)[i], have = dim.value();
    if (wanted < have) {
      const int64_t from = (have - wanted) / 2;
      x = Slice(call, x, axis, from, from + wanted);
      continue;
    }
    const auto at = 2 * static_cast<size_t>(axis);
    pairs[at] = (wanted - have) / 2;
    pairs[at + 1] = wanted - have - pairs[at];
  }
  call.Out(0, call.Call("pad", {x}, {{"paddings", pairs}}));
}

constexpr OnnxLowering kLowerings[] = {{"CenterCropPad", CenterCropPad},
                                       {"Pad", Pad}};

}  // namespace

absl::Span<const OnnxLowering> OnnxPadLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
