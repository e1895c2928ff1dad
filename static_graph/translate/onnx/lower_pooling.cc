// SPDX-License-Identifier: Apache-2.0
// Poolings of one to three spatial axes.
#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "static_graph/translate/onnx/gathered_windows.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_values.h"
#include "static_graph/translate/onnx/pooling.h"

namespace switchyard::static_graph {
namespace {

// Whether a number of the list is not `plain`.
bool AnyOther(const Integers& list, int64_t plain) {
  return std::any_of(list.begin(), list.end(),
                     [plain](int64_t number) { return number != plain; });
}

// One spatial axis as a plane of height 1.
void AddHeight(OnnxWindow* window) {
  window->kernel.insert(window->kernel.begin(), 1);
  window->strides.insert(window->strides.begin(), 1);
  window->dilations.insert(window->dilations.begin(), 1);
  window->before.insert(window->before.begin(), 0);
  window->after.insert(window->after.begin(), 0);
}

// The greatest of `kernel` places `gap` apart, from each place of an axis of
// `extent` on: of two windows of half of them each, again and again.
ir::Value GreatestAlong(OnnxCall& call, ir::Value x, int axis, int64_t kernel,
                        int64_t gap, int64_t extent) {
  const auto later = [&](int64_t places) {
    extent -= places * gap;
    const ir::Value first = Slice(call, x, axis, 0, extent);
    const ir::Value second =
        Slice(call, x, axis, places * gap, extent + places * gap);
    x = call.Call("maximum", {first, second});
  };
  int64_t covered = 1;
  for (; covered * 2 <= kernel; covered *= 2) later(covered);
  if (covered < kernel) later(kernel - covered);
  return x;
}

// The greatest of windows with gaps, or of small integers, by axis.
ir::Value MaxOfSlices(OnnxCall& call, ir::Value x, const OnnxWindow& window) {
  x = Padded(call, x, window, LeastOf(DtypeOf(x)));
  const Integers shape = SpatialExtents(call, x);
  for (size_t i = 0; i < window.kernel.size() && call.ok(); ++i) {
    const int axis = static_cast<int>(i) + 2;
    const int64_t wide = WideOf(window, i);
    const int64_t stride = window.strides[i];
    const int64_t count = CountWindows(call, window, i, shape[i]);
    if (!call.ok()) return ir::Value();
    const int64_t needed = std::max(shape[i], (count - 1) * stride + wide);
    if (needed > shape[i]) {
      Integers pads(2 * static_cast<size_t>(Rank(x)), 0);
      pads[2 * static_cast<size_t>(axis) + 1] = needed - shape[i];
      x = call.Call("pad", {x},
                    {{"paddings", pads}, {"pad_value", LeastOf(DtypeOf(x))}});
    }
    x = GreatestAlong(call, x, axis, window.kernel[i], window.dilations[i],
                      needed);
    x = Slice(call, x, axis, 0, (count - 1) * stride + 1, stride);
  }
  return x;
}

// The place in a plane whose first axis runs fastest, of one in a plane whose
// last one does.
ir::Value ByColumns(OnnxCall& call, ir::Value places, const Integers& shape) {
  ir::Value sum;
  for (size_t i = shape.size(); i-- > 0 && call.ok();) {
    int64_t before = 1;
    for (size_t k = 0; k < i; ++k) before *= shape[k];
    const ir::Value extent = IntegerList(call, {shape[i]});
    const ir::Value at =
        call.Call("multiply", {call.Call("remainder", {places, extent}),
                               IntegerList(call, {before})});
    sum = sum ? call.Call("add", {sum, at}) : at;
    places = call.Call("floor_divide", {places, extent});
  }
  return sum;
}

// Returns the positions of maxima, counted over the whole tensor: ours are
// counted within a plane.
ir::Value WholePlaces(OnnxCall& call, ir::Value places, ir::Value x) {
  const Integers shape = SpatialExtents(call, x);
  if (!call.ok()) return ir::Value();
  places = Cast(call, places, DataType::kInt64);
  if (call.Int("storage_order", 0) != 0) {
    places = ByColumns(call, places, shape);
  }
  int64_t plane = 1;
  std::vector<ir::Value> extents = {Extent(call, x, 0), Extent(call, x, 1)};
  const ir::Value planes = call.Call("multiply", {extents[0], extents[1]});
  for (const int64_t extent : shape) {
    plane *= extent;
    extents.push_back(IntegerList(call, {1}));
  }
  const ir::Value first = call.Call("arange", {},
                                    {{"start", IntegerList(call, {0})},
                                     {"end", planes},
                                     {"step", IntegerList(call, {1})},
                                     {"dtype", DataType::kInt64}});
  const ir::Value offsets =
      call.Call("multiply", {first, IntegerList(call, {plane})});
  return call.Call("add", {places, ReshapeTo(call, offsets, extents)});
}

OnnxAttributes PoolAttributes(OnnxCall& call, const OnnxWindow& window) {
  return {{"kernel_size", window.kernel},
          {"strides", window.strides},
          {"paddings", PadPairs(window)},
          {"ceil_mode", call.Flag("ceil_mode", false)}};
}

bool HasPoolKernel(DataType dtype) {
  return dtype == DataType::kFloat32 || dtype == DataType::kFloat64 ||
         dtype == DataType::kFloat16 || dtype == DataType::kBFloat16;
}

// The sum of powers to the power 1 / p.
ir::Value Norm(OnnxCall& call, ir::Value x, double p,
               const std::function<ir::Value(ir::Value)>& sum) {
  if (p == 1.0) return sum(call.Call("abs", {x}));
  if (p == 2.0) return call.Call("sqrt", {sum(call.Call("square", {x}))});
  const ir::Value powers =
      call.Call("pow", {call.Call("abs", {x})}, {{"y", Scalar(p)}});
  return call.Call("pow", {sum(powers)}, {{"y", Scalar(1.0 / p)}});
}

void LpPool(OnnxCall& call) {
  const ir::Value x = call.In(0);
  const OnnxWindow window = ReadWindow(call, x, call.Ints("kernel_shape"));
  if (!call.ok()) return;
  const Integers counts = WindowCounts(call, x, window);
  call.Out(0, Norm(call, x, call.Float("p", 2.0), [&](ir::Value powers) {
             return SumOfLast(call, Gathered(call, powers, window, counts, 0));
           }));
}

void MaxPoolPlaces(OnnxCall& call, ir::Value x, const OnnxWindow& window,
                   bool line) {
  std::vector<ir::Value> results;
  if (AnyOther(window.dilations, 1) || window.before != window.after ||
      call.Flag("ceil_mode", false) || !HasPoolKernel(DtypeOf(x))) {
    results = MaxOfGathered(call, x, window);
  } else {
    const bool volume = window.kernel.size() == 3;
    results = call.CallAll(
        volume ? "max_pool3d_with_index" : "max_pool2d_with_index", {x},
        {{"kernel_size", window.kernel},
         {"strides", window.strides},
         {"paddings", window.before}});
  }
  if (!call.ok()) return;
  const ir::Value places = WholePlaces(call, results[1], x);
  call.Out(0, line ? Squeeze(call, results[0], {2}) : results[0]);
  call.Out(1, line ? Squeeze(call, places, {2}) : places);
}

void MaxPool(OnnxCall& call) {
  ir::Value x = call.In(0);
  OnnxWindow window = ReadWindow(call, x, call.Ints("kernel_shape"));
  if (!call.ok()) return;
  const bool line = window.spatial == 1;
  if (line) {
    AddHeight(&window);
    x = Unsqueeze(call, x, {2});
  }
  if (window.spatial > 3) return call.Refuse("at most 3 spatial axes");
  if (call.Wants(1)) return MaxPoolPlaces(call, x, window, line);
  ir::Value y;
  if (AnyOther(window.dilations, 1) || !HasPoolKernel(DtypeOf(x))) {
    y = MaxOfSlices(call, x, window);
  } else {
    y = call.Call(window.spatial == 3 ? "pool3d" : "pool2d", {x},
                  PoolAttributes(call, window));
  }
  call.Out(0, line ? Squeeze(call, y, {2}) : y);
}

}  // namespace

ir::Value AveragePooled(OnnxCall& call, ir::Value x) {
  OnnxWindow window = ReadWindow(call, x, call.Ints("kernel_shape"));
  if (!call.ok()) return ir::Value();
  const bool uneven = window.spatial == 3 && window.before != window.after &&
                      call.Flag("count_include_pad", false);
  if (AnyOther(window.dilations, 1) || uneven) {
    return MeanOfGathered(call, x, window);
  }
  if (window.spatial > 3) {
    call.Refuse("at most 3 spatial axes");
    return ir::Value();
  }
  const bool line = window.spatial == 1;
  if (line) {
    AddHeight(&window);
    x = Unsqueeze(call, x, {2});
  }
  OnnxAttributes attributes = PoolAttributes(call, window);
  attributes.push_back({"pooling_type", "avg"});
  attributes.push_back({"exclusive", !call.Flag("count_include_pad", false)});
  const ir::Value y =
      call.Call(window.spatial == 3 ? "pool3d" : "pool2d", {x}, attributes);
  return line ? Squeeze(call, y, {2}) : y;
}

namespace {

void AveragePool(OnnxCall& call) {
  call.Out(0, AveragePooled(call, call.In(0)));
}

void Global(OnnxCall& call, const char* ours) {
  const ir::Value x = call.In(0);
  Integers axes;
  for (int i = 2; i < Rank(x); ++i) axes.push_back(i);
  call.Out(0, call.Call(ours, {x}, {{"axis", axes}, {"keepdim", true}}));
}

void GlobalLpPool(OnnxCall& call) {
  const ir::Value x = call.In(0);
  Integers axes;
  for (int i = 2; i < Rank(x); ++i) axes.push_back(i);
  call.Out(
      0, Norm(call, x, call.Float("p", 2.0), [&](ir::Value powers) {
        return call.Call(
            "sum", {powers},
            {{"axis", axes}, {"keepdim", true}, {"dtype", DtypeOf(powers)}});
      }));
}

void GlobalAveragePool(OnnxCall& call) { Global(call, "mean"); }
void GlobalMaxPool(OnnxCall& call) { Global(call, "max"); }

constexpr OnnxLowering kLowerings[] = {
    {"AveragePool", AveragePool},
    {"GlobalAveragePool", GlobalAveragePool},
    {"GlobalLpPool", GlobalLpPool},
    {"GlobalMaxPool", GlobalMaxPool},
    {"LpPool", LpPool},
    {"MaxPool", MaxPool},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxPoolingLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
