// SPDX-License-Identifier: Apache-2.0
// Poolings of one to three spatial axes.
#include <algorithm>
#include <limits>

#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/windows.h"

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

// Pads x itself: windows with gaps, and those of a kind that ours has not.
ir::Value Padded(OnnxCall& call, ir::Value x, const OnnxWindow& window,
                 double fill) {
  if (!AnyOther(window.before, 0) && !AnyOther(window.after, 0)) return x;
  Integers pads = {0, 0, 0, 0};
  const Integers pairs = PadPairs(window);
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

// The greatest of `kernel` places `gap` apart, from each place of an axis of
// `extent` on: of two windows of half of them each, again and again.
ir::Value GreatestAlong(OnnxCall& call, ir::Value x, int axis, int64_t kernel,
                        int64_t gap, int64_t extent) {
  const auto later = [&](int64_t places) {
    extent -= places * gap;
    const ir::Value first = call.Slice(x, axis, 0, extent);
    const ir::Value second =
        call.Slice(x, axis, places * gap, extent + places * gap);
    x = call.Call("maximum", {first, second});
  };
  int64_t covered = 1;
  for (; covered * 2 <= kernel; covered *= 2) later(covered);
  if (covered < kernel) later(kernel - covered);
  return x;
}

// The greatest of windows with gaps, or of small integers, by axis.
ir::Value MaxOfSlices(OnnxCall& call, ir::Value x, const OnnxWindow& window) {
  x = Padded(call, x, window, LeastOf(OnnxCall::DtypeOf(x)));
  const Integers shape = call.Extents(x);
  const bool ceil = call.Flag("ceil_mode", false);
  for (size_t i = 0; i < window.kernel.size() && call.ok(); ++i) {
    const int axis = static_cast<int>(i) + 2;
    const int64_t wide = (window.kernel[i] - 1) * window.dilations[i] + 1;
    const int64_t stride = window.strides[i];
    const int64_t room = shape[i + 2] - wide;
    int64_t count = room < 0 ? 0 : room / stride + 1;
    if (ceil && room >= 0 && room % stride != 0) {
      // The last window starts within the input or the pads before it.
      const int64_t starts_at = count * stride;
      if (starts_at < shape[i + 2] - window.after[i]) ++count;
    }
    if (count < 1) {
      call.Refuse("there must be room for a window");
      return ir::Value();
    }
    const int64_t needed = std::max(shape[i + 2], (count - 1) * stride + wide);
    if (needed > shape[i + 2]) {
      Integers pads(2 * static_cast<size_t>(OnnxCall::Rank(x)), 0);
      pads[2 * static_cast<size_t>(axis) + 1] = needed - shape[i + 2];
      x = call.Call(
          "pad", {x},
          {{"paddings", pads}, {"pad_value", LeastOf(OnnxCall::DtypeOf(x))}});
    }
    x = GreatestAlong(call, x, axis, window.kernel[i], window.dilations[i],
                      needed);
    x = call.Slice(x, axis, 0, (count - 1) * stride + 1, stride);
  }
  return x;
}

// Where maxima are, counted over the whole tensor: ours count within a plane.
ir::Value WholePlaces(OnnxCall& call, ir::Value places, ir::Value x) {
  const Integers shape = call.Extents(x);
  if (!call.ok()) return ir::Value();
  places = call.Cast(places, DataType::kInt64);
  if (call.Int("storage_order", 0) != 0 && shape.size() == 4) {
    // Columns are one after another: the row, and the column times the height.
    const ir::Value width = call.IntegerList({shape[3]});
    const ir::Value row = call.Call("floor_divide", {places, width});
    const ir::Value column = call.Call("remainder", {places, width});
    places = call.Call(
        "add",
        {call.Call("multiply", {column, call.IntegerList({shape[2]})}), row});
  }
  int64_t plane = 1;
  for (size_t i = 2; i < shape.size(); ++i) plane *= shape[i];
  Integers first;
  for (int64_t i = 0; i < shape[0] * shape[1]; ++i) first.push_back(i * plane);
  Integers extents = {shape[0], shape[1]};
  extents.resize(shape.size(), 1);
  const ir::Value offsets = call.Reshape(call.IntegerList(first), extents);
  return call.Call("add", {places, offsets});
}

OnnxAttributes PoolAttributes(OnnxCall& call, const OnnxWindow& window) {
  return {{"kernel_size", window.kernel},
          {"strides", window.strides},
          {"paddings", PadPairs(window)},
          {"ceil_mode", call.Flag("ceil_mode", false)}};
}

void MaxPoolPlaces(OnnxCall& call, ir::Value x, const OnnxWindow& window,
                   bool line) {
  if (AnyOther(window.dilations, 1) || window.before != window.after ||
      call.Flag("ceil_mode", false)) {
    return call.Refuse("indices need equal pads and no dilations");
  }
  const bool volume = window.kernel.size() == 3;
  const std::vector<ir::Value> results = call.CallAll(
      volume ? "max_pool3d_with_index" : "max_pool2d_with_index", {x},
      {{"kernel_size", window.kernel},
       {"strides", window.strides},
       {"paddings", window.before}});
  if (!call.ok()) return;
  const ir::Value places = WholePlaces(call, results[1], x);
  call.Out(0, line ? call.Squeeze(results[0], {2}) : results[0]);
  call.Out(1, line ? call.Squeeze(places, {2}) : places);
}

bool HasPoolKernel(DataType dtype) {
  return dtype == DataType::kFloat32 || dtype == DataType::kFloat64 ||
         dtype == DataType::kFloat16 || dtype == DataType::kBFloat16;
}

void MaxPool(OnnxCall& call) {
  ir::Value x = call.In(0);
  OnnxWindow window = ReadWindow(call, x, call.Ints("kernel_shape"));
  if (!call.ok()) return;
  const bool line = window.spatial == 1;
  if (line) {
    AddHeight(&window);
    x = call.Unsqueeze(x, {2});
  }
  if (window.spatial > 3) return call.Refuse("at most 3 spatial axes");
  if (call.Wants(1)) return MaxPoolPlaces(call, x, window, line);
  ir::Value y;
  if (AnyOther(window.dilations, 1) || !HasPoolKernel(OnnxCall::DtypeOf(x))) {
    y = MaxOfSlices(call, x, window);
  } else {
    y = call.Call(window.spatial == 3 ? "pool3d" : "pool2d", {x},
                  PoolAttributes(call, window));
  }
  call.Out(0, line ? call.Squeeze(y, {2}) : y);
}

void AveragePool(OnnxCall& call) {
  ir::Value x = call.In(0);
  OnnxWindow window = ReadWindow(call, x, call.Ints("kernel_shape"));
  if (!call.ok()) return;
  if (AnyOther(window.dilations, 1)) {
    return call.Refuse("dilations must be 1");
  }
  if (window.spatial > 3) return call.Refuse("at most 3 spatial axes");
  const bool line = window.spatial == 1;
  if (line) {
    AddHeight(&window);
    x = call.Unsqueeze(x, {2});
  }
  OnnxAttributes attributes = PoolAttributes(call, window);
  attributes.push_back({"pooling_type", "avg"});
  attributes.push_back({"exclusive", !call.Flag("count_include_pad", false)});
  const ir::Value y =
      call.Call(window.spatial == 3 ? "pool3d" : "pool2d", {x}, attributes);
  call.Out(0, line ? call.Squeeze(y, {2}) : y);
}

void Global(OnnxCall& call, const char* ours) {
  const ir::Value x = call.In(0);
  Integers axes;
  for (int i = 2; i < OnnxCall::Rank(x); ++i) axes.push_back(i);
  call.Out(0, call.Call(ours, {x}, {{"axis", axes}, {"keepdim", true}}));
}

void GlobalAveragePool(OnnxCall& call) { Global(call, "mean"); }
void GlobalMaxPool(OnnxCall& call) { Global(call, "max"); }

constexpr OnnxLowering kLowerings[] = {
    {"AveragePool", AveragePool},
    {"GlobalAveragePool", GlobalAveragePool},
    {"GlobalMaxPool", GlobalMaxPool},
    {"MaxPool", MaxPool},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxPoolingLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
