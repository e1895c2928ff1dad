// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx/resize_places.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "static_graph/translate/onnx/onnx_values.h"

namespace switchyard::static_graph {
namespace {

constexpr char kCrops[] = "tf_crop_and_resize";

// Which coordinates of the result lie in which of the input.
std::string CoordinateMode(OnnxCall& call) {
  return call.Text("coordinate_transformation_mode",
                   call.version() < 11 ? "asymmetric" : "half_pixel");
}

// The places that a region has, the first and the last at its ends; a single
// one is in the middle.
ir::Value PlacesInRegion(OnnxCall& call, const ResizedAxis& axis, ir::Value x) {
  const ir::Value one = Wide(call, 1);
  const ir::Value last = Two(call, "subtract", axis.input_extent, one);
  const ir::Value extent = Cast(call, axis.extent, kWide);
  const ir::Value length =
      Two(call, "multiply", Two(call, "subtract", axis.end, axis.start), last);
  const ir::Value many =
      Two(call, "add", Two(call, "multiply", axis.start, last),
          Two(call, "divide", Two(call, "multiply", x, length),
              Two(call, "maximum", Two(call, "subtract", extent, one), one)));
  const ir::Value middle =
      Two(call, "multiply", Wide(call, 0.5),
          Two(call, "multiply", Two(call, "add", axis.start, axis.end), last));
  return call.Call("where", {Two(call, "equal", extent, one), middle, many});
}

}  // namespace

ir::Value Two(OnnxCall& call, const char* ours, ir::Value a, ir::Value b) {
  return call.Call(ours, {a, b});
}

ir::Value Wide(OnnxCall& call, double number) {
  return FloatList(call, {number}, kWide);
}

// The starts of all axes come first, then the ends.
void ReadRegion(OnnxCall& call, int axes, int at, ResizedAxis* axis) {
  if (CoordinateMode(call) != kCrops) return;
  constexpr int kRegions = 1;
  const ir::Value regions = Cast(call, call.In(kRegions), kWide);
  if (!call.ok()) return;
  const Shape& shape = ShapeOf(regions);
  if (shape.rank() != 1 || (shape[0].known() && shape[0].value() != 2 * axes)) {
    return call.Fail(ArgumentError(
        "roi", absl::StrCat("of shape [", 2 * axes, "]"), ToString(shape)));
  }
  axis->start = Slice(call, regions, 0, at, at + 1);
  axis->end = Slice(call, regions, 0, axes + at, axes + at + 1);
}

bool IsWhole(OnnxCall& call, const ResizedAxis& axis) {
  if (!axis.start) return true;
  const auto start = call.KnownNumbers(axis.start);
  const auto end = call.KnownNumbers(axis.end);
  return start.has_value() && end.has_value() && *start == std::vector{0.0} &&
         *end == std::vector{1.0};
}

ir::Value Places(OnnxCall& call, const ResizedAxis& axis) {
  const std::string mode = CoordinateMode(call);
  const ir::Value half = Wide(call, 0.5), one = Wide(call, 1);
  ir::Value x = Cast(call,
                     call.Call("arange", {},
                               {{"start", IntegerList(call, {0})},
                                {"end", axis.extent},
                                {"step", IntegerList(call, {1})},
                                {"dtype", DataType::kInt64}}),
                     kWide);
  if (axis.start) return PlacesInRegion(call, axis, x);
  if (mode == "asymmetric") return Two(call, "divide", x, axis.scale);
  const ir::Value middle =
      Two(call, "divide", Two(call, "add", x, half), axis.scale);
  if (mode == "tf_half_pixel_for_nn") return middle;
  if (mode == "half_pixel") return Two(call, "subtract", middle, half);
  if (mode == "pytorch_half_pixel") {
    const ir::Value one_wide =
        Two(call, "equal", Cast(call, axis.extent, kWide), one);
    return call.Call("where", {one_wide, Wide(call, 0),
                               Two(call, "subtract", middle, half)});
  }
  if (mode == "half_pixel_symmetric") {
    // The result's centre stays the input's though its extent was rounded.
    const ir::Value exact =
        Two(call, "multiply", axis.scale, axis.input_extent);
    const ir::Value part =
        Two(call, "divide", Cast(call, axis.extent, kWide), exact);
    const ir::Value centre = Two(call, "multiply", axis.input_extent, half);
    const ir::Value shift =
        Two(call, "multiply", centre, Two(call, "subtract", one, part));
    return Two(call, "add", shift, Two(call, "subtract", middle, half));
  }
  if (mode == "align_corners") {
    // The last place is that of the extent before it was rounded.
    const ir::Value steps =
        Two(call, "subtract",
            Two(call, "multiply", axis.scale, axis.input_extent), one);
    const ir::Value stretched = Two(
        call, "divide",
        Two(call, "multiply", x, Two(call, "subtract", axis.input_extent, one)),
        steps);
    const ir::Value single =
        Two(call, "equal", Cast(call, axis.extent, kWide), one);
    return call.Call("where", {single, Wide(call, 0), stretched});
  }
  call.Refuse("coordinate_transformation_mode must not be " + mode);
  return ir::Value();
}

ir::Value Extrapolated(OnnxCall& call, ir::Value y, const ResizedAxis& axis) {
  const ir::Value places = Places(call, axis);
  const ir::Value last =
      Two(call, "subtract", axis.input_extent, Wide(call, 1));
  const ir::Value outside =
      Two(call, "logical_or", Two(call, "less_than", places, Wide(call, 0)),
          Two(call, "less_than", last, places));
  if (!call.ok()) return ir::Value();
  Integers after;
  for (int i = axis.axis + 1; i < Rank(y); ++i) {
    after.push_back(i - axis.axis);
  }
  return call.Call(
      "where",
      {Unsqueeze(call, outside, after),
       NumberLike(call, y, call.Float("extrapolation_value", 0.0)), y});
}

}  // namespace switchyard::static_graph
