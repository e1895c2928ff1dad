// SPDX-License-Identifier: Apache-2.0
// Resize and Upsample, an axis after the other: where each element of the
// result lies in the input (resize_places.h), which elements are beside that
// place, and their weights. All of it may be computed when the program runs,
// and is constant where the extents are known.
#include <algorithm>
#include <cmath>
#include <functional>

#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_values.h"
#include "static_graph/translate/onnx/resize_places.h"

namespace switchyard::static_graph {
namespace {

// The element beside each place that is `offset` after the one before it.
ir::Value Element(OnnxCall& call, ir::Value x, const ResizedAxis& axis,
                  ir::Value places, int offset) {
  const ir::Value last =
      Two(call, "subtract", axis.input_extent, Wide(call, 1));
  ir::Value at = Two(call, "add", places, Wide(call, offset));
  at = Two(call, "minimum", Two(call, "maximum", at, Wide(call, 0)), last);
  return call.Call("index_select", {x, Cast(call, at, DataType::kInt64)},
                   {{"axis", axis.axis}});
}

// A weight of each place, beside the axes after it.
ir::Value Weighted(OnnxCall& call, ir::Value element, ir::Value weights,
                   int axis) {
  Integers after;
  for (int i = axis + 1; i < Rank(element); ++i) {
    after.push_back(i - axis);
  }
  const ir::Value numbers =
      Unsqueeze(call, Cast(call, weights, DtypeOf(element)), after);
  return Two(call, "multiply", element, numbers);
}

ir::Value Nearest(OnnxCall& call, ir::Value x, const ResizedAxis& axis,
                  ir::Value places) {
  // Before version 11 a smaller result took the later element, as ONNX's own
  // tests of version 10 have it.
  if (call.version() == 10 && axis.shrinks) {
    return Element(call, x, axis, call.Call("ceil", {places}), 0);
  }
  const std::string mode = call.Text(
      "nearest_mode", call.version() < 11 ? "floor" : "round_prefer_floor");
  const ir::Value half = Wide(call, 0.5);
  if (mode == "floor") {
    places = call.Call("floor", {places});
  } else if (mode == "ceil") {
    places = call.Call("ceil", {places});
  } else if (mode == "round_prefer_floor") {
    places = call.Call("ceil", {Two(call, "subtract", places, half)});
  } else if (mode == "round_prefer_ceil") {
    places = call.Call("floor", {Two(call, "add", places, half)});
  } else {
    call.Fail(ArgumentError("nearest_mode", "a way to round", mode));
  }
  return Element(call, x, axis, places, 0);
}

ir::Value Linear(OnnxCall& call, ir::Value x, const ResizedAxis& axis,
                 ir::Value places) {
  const ir::Value before = call.Call("floor", {places});
  const ir::Value rest = Two(call, "subtract", places, before);
  const ir::Value left = Two(call, "subtract", Wide(call, 1), rest);
  return Two(
      call, "add",
      Weighted(call, Element(call, x, axis, before, 0), left, axis.axis),
      Weighted(call, Element(call, x, axis, before, 1), rest, axis.axis));
}

// The weight of an element at a distance of at most 1, and of one beyond.
ir::Value CubicWeight(OnnxCall& call, ir::Value distance, double a, bool near) {
  const auto polynomial = [&](const std::vector<double>& factors) {
    ir::Value sum = Wide(call, factors[0]);
    for (size_t i = 1; i < factors.size(); ++i) {
      sum = Two(call, "add", Two(call, "multiply", sum, distance),
                Wide(call, factors[i]));
    }
    return sum;
  };
  if (near) return polynomial({a + 2, -(a + 3), 0, 1});
  return polynomial({a, -5 * a, 8 * a, -4 * a});
}

// A weight of each place for the element `offset` after the one before it.
using WeightOf = std::function<ir::Value(int offset)>;

// The sum of the elements `first` to `last` after the one before each place, by
// weights, which are made to sum up to 1 if `even`.
ir::Value WeightedSum(OnnxCall& call, ir::Value x, const ResizedAxis& axis,
                      ir::Value before, int first, int last, bool even,
                      const WeightOf& weight_of) {
  const bool excludes = call.Flag("exclude_outside", false);
  std::vector<ir::Value> weights;
  ir::Value sum;
  for (int k = first; k <= last && call.ok(); ++k) {
    ir::Value weight = weight_of(k);
    if (excludes) {
      const ir::Value at = Two(call, "add", before, Wide(call, k));
      const ir::Value inside = Two(
          call, "logical_and", Two(call, "greater_equal", at, Wide(call, 0)),
          Two(call, "less_than", at, axis.input_extent));
      weight = Two(call, "multiply", weight, Cast(call, inside, kWide));
    }
    weights.push_back(weight);
    sum = k == first ? weight : Two(call, "add", sum, weight);
  }
  ir::Value y;
  for (int k = first; k <= last && call.ok(); ++k) {
    ir::Value weight = weights[static_cast<size_t>(k - first)];
    if (excludes || even) weight = Two(call, "divide", weight, sum);
    const ir::Value part =
        Weighted(call, Element(call, x, axis, before, k), weight, axis.axis);
    y = k == first ? part : Two(call, "add", y, part);
  }
  return y;
}

ir::Value Cubic(OnnxCall& call, ir::Value x, const ResizedAxis& axis,
                ir::Value places) {
  const double a = call.Float("cubic_coeff_a", -0.75);
  const ir::Value before = call.Call("floor", {places});
  const ir::Value rest = Two(call, "subtract", places, before);
  return WeightedSum(call, x, axis, before, -1, 2, false, [&](int k) {
    const ir::Value distance =
        call.Call("abs", {Two(call, "subtract", rest, Wide(call, k))});
    return CubicWeight(call, distance, a, k == 0 || k == 1);
  });
}

// A smaller result is made of all elements that its own covers: the filter is
// as many times wider.
ir::Value Smoothed(OnnxCall& call, ir::Value x, const ResizedAxis& axis,
                   ir::Value places, bool cubic) {
  constexpr double kWidest = 256;
  const auto known = call.KnownNumbers(axis.scale);
  const double scale = known.has_value() ? std::min((*known)[0], 1.0) : 0.0;
  const double reach = (cubic ? 2 : 1) / scale;
  if (reach > kWidest) {
    call.Refuse("with antialias the scale must be known, and above 1/128");
    return ir::Value();
  }
  const int first = static_cast<int>(std::floor(-reach)) + 1;
  const double a = call.Float("cubic_coeff_a", -0.75);
  const ir::Value before = call.Call("floor", {places});
  const ir::Value rest = Two(call, "subtract", places, before);
  return WeightedSum(call, x, axis, before, first, 1 - first, true, [&](int k) {
    const ir::Value distance =
        Two(call, "multiply",
            call.Call("abs", {Two(call, "subtract", rest, Wide(call, k))}),
            Wide(call, scale));
    if (!cubic) {
      return Two(call, "maximum",
                 Two(call, "subtract", Wide(call, 1), distance), Wide(call, 0));
    }
    const ir::Value near =
        Cast(call, Two(call, "less_equal", distance, Wide(call, 1)), kWide);
    const ir::Value inside =
        Cast(call, Two(call, "less_than", distance, Wide(call, 2)), kWide);
    const ir::Value far = Two(call, "subtract", inside, near);
    return Two(
        call, "add",
        Two(call, "multiply", CubicWeight(call, distance, a, true), near),
        Two(call, "multiply", CubicWeight(call, distance, a, false), far));
  });
}

// Returns how an axis, of `axes`, is resized; nothing for one that stays.
std::optional<ResizedAxis> ReadAxis(OnnxCall& call, ir::Value x, int axis,
                                    const std::vector<double>& scales,
                                    ir::Value computed, ir::Value sizes, int at,
                                    int axes) {
  ResizedAxis read;
  read.axis = axis;
  ReadRegion(call, axes, at, &read);
  if (!call.ok()) return std::nullopt;
  const Dim dim = ShapeOf(x)[axis];
  read.input_extent = Cast(call, Extent(call, x, axis), kWide);
  if (sizes) {
    read.extent = Slice(call, sizes, 0, at, at + 1);
    const auto known = call.KnownIntegers(read.extent);
    if (known.has_value() && dim.known() && (*known)[0] == dim.value() &&
        IsWhole(call, read)) {
      return std::nullopt;
    }
    read.scale =
        Two(call, "divide", Cast(call, read.extent, kWide), read.input_extent);
    return read;
  }
  const double scale = computed ? 0 : scales[static_cast<size_t>(at)];
  if (scale == 1.0 && !computed && IsWhole(call, read)) return std::nullopt;
  read.shrinks = !computed && scale < 1.0;
  read.scale = computed
                   ? Cast(call, Slice(call, computed, 0, at, at + 1), kWide)
                   : Wide(call, scale);
  if (dim.known() && !computed && !read.start) {
    read.extent = IntegerList(
        call, {static_cast<int64_t>(
                  std::floor(static_cast<double>(dim.value()) * scale))});
    return read;
  }
  ir::Value extent = Two(call, "multiply", read.input_extent, read.scale);
  if (read.start) {
    extent = Two(call, "multiply", extent,
                 Two(call, "subtract", read.end, read.start));
  }
  read.extent = Cast(call, call.Call("floor", {extent}), DataType::kInt64);
  return read;
}

ir::Value ResizeAxis(OnnxCall& call, ir::Value x, const ResizedAxis& axis) {
  const std::string mode = call.Text("mode", "nearest");
  const ir::Value places = Places(call, axis);
  if (!call.ok()) return ir::Value();
  if (mode == "nearest") return Nearest(call, x, axis, places);
  if (call.Flag("antialias", false)) {
    return Smoothed(call, x, axis, places, mode == "cubic");
  }
  if (mode == "linear" || mode == "bilinear") {
    return Linear(call, x, axis, places);
  }
  if (mode == "cubic") return Cubic(call, x, axis, places);
  call.Fail(ArgumentError("mode", "nearest, linear or cubic", mode));
  return ir::Value();
}

// Returns the ratio of all axes so that none is larger than in `sizes`, or none
// is smaller, and sets the sizes that follow. Null where each has its own.
ir::Value KeptAspect(OnnxCall& call, ir::Value x, const Integers& axes,
                     ir::Value* sizes) {
  const std::string policy = call.Text("keep_aspect_ratio_policy", "stretch");
  if (!call.ok() || policy == "stretch") return ir::Value();
  if (policy != "not_larger" && policy != "not_smaller") {
    call.Fail(ArgumentError("keep_aspect_ratio_policy",
                            "stretch, not_larger or not_smaller", policy));
    return ir::Value();
  }
  std::vector<ir::Value> extents;
  for (const int64_t axis : axes) {
    extents.push_back(Extent(call, x, call.Axis(axis, Rank(x))));
  }
  const ir::Value list =
      Cast(call, call.Call("concat", {extents}, {{"axis", 0}}), kWide);
  const ir::Value ratios = Two(call, "divide", Cast(call, *sizes, kWide), list);
  const ir::Value ratio =
      call.Call(policy == "not_larger" ? "min" : "max", {ratios},
                {{"axis", Integers{0}}, {"keepdim", true}});
  // Halves are rounded up.
  const ir::Value exact = Two(call, "multiply", list, ratio);
  *sizes =
      Cast(call, call.Call("floor", {Two(call, "add", exact, Wide(call, 0.5))}),
           DataType::kInt64);
  return ratio;
}

// `scales`: the number of the input that has them, -1 for the attribute.
void ResizeBy(OnnxCall& call, int scales_at, int sizes_at) {
  ir::Value x = call.In(0);
  const DataType dtype = DtypeOf(x);
  ir::Value sizes, computed;
  std::vector<double> scales;
  if (sizes_at >= 0 && call.Has(sizes_at)) {
    sizes = Cast(call, call.In(sizes_at), DataType::kInt64);
  } else if (scales_at < 0) {
    for (const float scale : call.Floats("scales")) scales.push_back(scale);
  } else {
    const auto known = call.KnownNumbers(call.In(scales_at));
    if (known.has_value()) {
      scales = *known;
    } else {
      computed = call.In(scales_at);
    }
  }
  if (!call.ok()) return;
  Integers axes = call.Ints("axes");
  for (int i = 0; i < Rank(x) && !call.HasAttr("axes"); ++i) {
    axes.push_back(i);
  }
  if (!sizes && !computed && scales.size() != axes.size()) {
    return call.Fail(ArgumentError("scales", "one for each axis", "others"));
  }
  for (const double scale : scales) {
    if (!(scale > 0) || scale > 1e6) {
      return call.Fail(ArgumentError("scales", "in (0, 1e6]", "others"));
    }
  }
  const ir::Value ratio =
      sizes ? KeptAspect(call, x, axes, &sizes) : ir::Value();
  // Sums of weighted elements are rounded once, at the end.
  const bool wide = dtype == DataType::kFloat32 || dtype == DataType::kFloat64;
  if (!wide && call.Text("mode", "nearest") != "nearest") {
    x = Cast(call, x, DataType::kFloat32);
  }
  std::vector<ResizedAxis> regions;
  for (size_t i = 0; i < axes.size() && call.ok(); ++i) {
    const int axis = call.Axis(axes[i], Rank(x));
    auto read = ReadAxis(call, x, axis, scales, computed, sizes,
                         static_cast<int>(i), static_cast<int>(axes.size()));
    if (!read.has_value()) continue;
    if (ratio) read->scale = ratio;
    x = ResizeAxis(call, x, *read);
    if (read->start) regions.push_back(*read);
  }
  // At the end, since the elements beside a place are inside.
  for (const ResizedAxis& region : regions) x = Extrapolated(call, x, region);
  call.Out(0, Cast(call, x, dtype));
}

// Until version 11 the scales are the second input, then regions of interest.
void Resize(OnnxCall& call) {
  constexpr int64_t kRegions = 11;
  if (call.version() < kRegions) return ResizeBy(call, 1, -1);
  ResizeBy(call, 2, 3);
}

void Upsample(OnnxCall& call) {
  ResizeBy(call, call.HasAttr("scales") ? -1 : 1, -1);
}

constexpr OnnxLowering kLowerings[] = {{"Resize", Resize},
                                       {"Upsample", Upsample}};

}  // namespace

absl::Span<const OnnxLowering> OnnxResizeLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
