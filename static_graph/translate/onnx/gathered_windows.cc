// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx/gathered_windows.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "static_graph/translate/onnx/onnx_values.h"

namespace switchyard::static_graph {
namespace {

// A tensor of one image and one channel.
ir::Value Plane(OnnxCall& call, Integers spatial, ir::Value elements) {
  spatial.insert(spatial.begin(), {1, 1});
  return Reshape(call, elements, spatial);
}

}  // namespace

Integers SpatialExtents(OnnxCall& call, ir::Value x) {
  Integers extents;
  for (int i = 2; call.ok() && i < Rank(x); ++i) {
    const Dim dim = ShapeOf(x)[i];
    if (!dim.known()) call.Refuse("spatial extents must be known");
    extents.push_back(dim.known() ? dim.value() : 0);
  }
  return extents;
}

ir::Value Padded(OnnxCall& call, ir::Value x, const OnnxWindow& window,
                 double fill) {
  const Integers pairs = PadPairs(window);
  if (pairs == Integers(pairs.size(), 0)) return x;
  Integers pads = {0, 0, 0, 0};
  pads.insert(pads.end(), pairs.begin(), pairs.end());
  return call.Call("pad", {x}, {{"paddings", pads}, {"pad_value", fill}});
}

double LeastOf(DataType dtype) {
  switch (dtype) {
    case DataType::kInt8:
      return -128;
    case DataType::kUInt8:
      return 0;
    default:
      return -std::numeric_limits<double>::infinity();
  }
}

int64_t WideOf(const OnnxWindow& window, size_t axis) {
  return (window.kernel[axis] - 1) * window.dilations[axis] + 1;
}

int64_t CountWindows(OnnxCall& call, const OnnxWindow& window, size_t axis,
                     int64_t padded) {
  const int64_t stride = window.strides[axis];
  const int64_t room = padded - WideOf(window, axis);
  int64_t count = room < 0 ? 0 : room / stride + 1;
  if (call.Flag("ceil_mode", false) && room >= 0 && room % stride != 0) {
    // The last window starts within the input or the pads before it.
    const int64_t starts_at = count * stride;
    if (starts_at < padded - window.after[axis]) ++count;
  }
  if (count < 1) call.Refuse("there must be room for a window");
  return count;
}

Integers WindowCounts(OnnxCall& call, ir::Value x, const OnnxWindow& window) {
  const Integers shape = SpatialExtents(call, x);
  Integers counts;
  for (size_t i = 0; i < shape.size() && call.ok(); ++i) {
    counts.push_back(CountWindows(
        call, window, i, shape[i] + window.before[i] + window.after[i]));
  }
  return counts;
}

ir::Value Gathered(OnnxCall& call, ir::Value x, OnnxWindow window,
                   const Integers& counts, double fill) {
  const Integers shape = SpatialExtents(call, x);
  if (!call.ok()) return ir::Value();
  for (size_t i = 0; i < counts.size(); ++i) {
    const int64_t needed =
        (counts[i] - 1) * window.strides[i] + WideOf(window, i);
    window.after[i] =
        std::max(window.after[i], needed - shape[i] - window.before[i]);
  }
  x = Padded(call, x, window, fill);
  std::vector<ir::Value> parts = {Extent(call, x, 0), Extent(call, x, 1)};
  std::vector<ir::Value> whole = parts;
  Integers order = {0, 1}, inner;
  for (size_t i = 0; i < counts.size(); ++i) {
    Integers places;
    for (int64_t at = 0; at < counts[i]; ++at) {
      for (int64_t k = 0; k < window.kernel[i]; ++k) {
        places.push_back(at * window.strides[i] + k * window.dilations[i]);
      }
    }
    const auto axis = static_cast<int64_t>(i);
    x = call.Call("index_select", {x, IntegerList(call, places)},
                  {{"axis", axis + 2}});
    parts.push_back(IntegerList(call, {counts[i]}));
    whole.push_back(parts.back());
    parts.push_back(IntegerList(call, {window.kernel[i]}));
    order.push_back(2 * axis + 2);
    inner.push_back(2 * axis + 3);
  }
  order.insert(order.end(), inner.begin(), inner.end());
  x = Transpose(call, ReshapeTo(call, x, parts), order);
  whole.push_back(IntegerList(
      call, {std::accumulate(window.kernel.begin(), window.kernel.end(),
                             int64_t{1}, std::multiplies<>())}));
  return ReshapeTo(call, x, whole);
}

ir::Value SumOfLast(OnnxCall& call, ir::Value x) {
  return call.Call("sum", {x}, {{"axis", Integers{-1}}, {"dtype", DtypeOf(x)}});
}

std::vector<ir::Value> MaxOfGathered(OnnxCall& call, ir::Value x,
                                     const OnnxWindow& window) {
  const Integers counts = WindowCounts(call, x, window);
  const Integers shape = SpatialExtents(call, x);
  const ir::Value all = Gathered(call, x, window, counts, LeastOf(DtypeOf(x)));
  if (!call.ok()) return {};
  Integers numbers(std::accumulate(shape.begin(), shape.end(), size_t{1},
                                   std::multiplies<>()));
  std::iota(numbers.begin(), numbers.end(), 0);
  const ir::Value best =
      call.Call("argmax", {all}, {{"axis", -1}, {"keepdims", true}});
  const ir::Value places = call.Call(
      "add", {call.Call("zeros_like", {best}),
              Gathered(call, Plane(call, shape, IntegerList(call, numbers)),
                       window, counts, 0)});
  const auto at_best = [&](ir::Value elements) {
    return Squeeze(
        call, call.Call("take_along_axis", {elements, best}, {{"axis", -1}}),
        {-1});
  };
  return {at_best(all), at_best(places)};
}

ir::Value MeanOfGathered(OnnxCall& call, ir::Value x,
                         const OnnxWindow& window) {
  const Integers counts = WindowCounts(call, x, window);
  Integers shape = SpatialExtents(call, x);
  const ir::Value sum = SumOfLast(call, Gathered(call, x, window, counts, 0));
  OnnxWindow counted = window;
  if (call.Flag("count_include_pad", false)) {
    for (size_t i = 0; i < shape.size(); ++i) {
      shape[i] += window.before[i] + window.after[i];
    }
    counted.before.assign(shape.size(), 0);
    counted.after.assign(shape.size(), 0);
  }
  shape.insert(shape.begin(), {1, 1});
  const ir::Value ones = call.Call(
      "full", {},
      {{"shape", shape}, {"value", Scalar(1.0)}, {"dtype", DtypeOf(x)}});
  return call.Call(
      "divide",
      {sum, SumOfLast(call, Gathered(call, ones, counted, counts, 0))});
}

}  // namespace switchyard::static_graph
