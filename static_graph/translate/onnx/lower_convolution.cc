// SPDX-License-Identifier: Apache-2.0
// Convolutions of one to three spatial axes. One axis is a plane of height 1.
#include <algorithm>
#include <optional>

#include "static_graph/translate/onnx/convolution.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_values.h"
#include "static_graph/translate/onnx/windows.h"

namespace switchyard::static_graph {
namespace {

constexpr int kLastSpatial = 3;

Integers SpatialExtents(OnnxCall& call, ir::Value weights) {
  Integers extents = call.Ints("kernel_shape");
  if (!extents.empty() || !call.ok()) return extents;
  for (int i = 2; i < Rank(weights); ++i) {
    const Dim dim = ShapeOf(weights)[i];
    if (!dim.known()) {
      call.Refuse("the weights must have a known shape");
      return extents;
    }
    extents.push_back(dim.value());
  }
  return extents;
}

// Adds the bias of each channel.
ir::Value WithBias(OnnxCall& call, ir::Value y, int input) {
  if (!call.Has(input) || !call.ok()) return y;
  Integers after;
  for (int i = 2; i < Rank(y); ++i) after.push_back(i - 1);
  const ir::Value bias = Unsqueeze(call, call.In(input), after);
  return call.Call("add", {y, bias});
}

// One spatial axis as a plane of height 1.
void AddHeight(OnnxWindow* window) {
  window->kernel.insert(window->kernel.begin(), 1);
  window->strides.insert(window->strides.begin(), 1);
  window->dilations.insert(window->dilations.begin(), 1);
  window->before.insert(window->before.begin(), 0);
  window->after.insert(window->after.begin(), 0);
}

bool CheckSpatial(OnnxCall& call, int spatial) {
  if (call.ok() && spatial > kLastSpatial) {
    call.Refuse("there must be at most 3 spatial axes");
  }
  return call.ok();
}

}  // namespace

ir::Value Convolve(OnnxCall& call, ir::Value x, ir::Value weights) {
  OnnxWindow window = ReadWindow(call, x, SpatialExtents(call, weights));
  if (!CheckSpatial(call, window.spatial)) return ir::Value();
  const bool line = window.spatial == 1;
  if (line) {
    AddHeight(&window);
    x = Unsqueeze(call, x, {2});
    weights = Unsqueeze(call, weights, {2});
  }
  const ir::Value y = call.Call(
      window.spatial == kLastSpatial ? "conv3d" : "conv2d", {x, weights},
      {{"strides", window.strides},
       {"paddings", PadPairs(window)},
       {"dilations", window.dilations},
       {"groups", call.Int("group", 1)}});
  return line ? Squeeze(call, y, {2}) : y;
}

namespace {

void Conv(OnnxCall& call) {
  const ir::Value y = Convolve(call, call.In(0), call.In(1));
  call.Out(0, WithBias(call, y, 2));
}

// The pads of a transposed convolution that makes `output_shape`, or, with
// auto_pad SAME, stride times the input. More than there is are zeros at the
// end.
void FitOutput(OnnxCall& call, ir::Value x, Integers* extra,
               OnnxWindow* window) {
  const std::string mode = call.Text("auto_pad", "NOTSET");
  Integers wanted = call.Ints("output_shape");
  const auto count = static_cast<size_t>(window->spatial);
  const bool same = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  if (wanted.empty() && !same) return;
  const Integers shape = call.Extents(x);
  if (!call.ok()) return;
  if (wanted.size() > count) {
    wanted.erase(wanted.begin(), wanted.end() - window->spatial);
  }
  for (size_t i = 0; i < count; ++i) {
    const int64_t extent = shape[i + 2];
    const int64_t goal =
        wanted.empty() ? extent * window->strides[i] : wanted[i];
    const int64_t whole = window->strides[i] * (extent - 1) + (*extra)[i] +
                          (window->kernel[i] - 1) * window->dilations[i] + 1;
    const int64_t pad = std::max<int64_t>(0, whole - goal);
    (*extra)[i] += std::max<int64_t>(0, goal - whole);
    const int64_t small = pad / 2;
    window->before[i] = mode == "SAME_UPPER" ? small : pad - small;
    window->after[i] = pad - window->before[i];
  }
}

void ConvTranspose(OnnxCall& call) {
  ir::Value x = call.In(0);
  ir::Value weights = call.In(1);
  OnnxWindow window = ReadWindow(call, x, SpatialExtents(call, weights));
  if (!CheckSpatial(call, window.spatial)) return;
  Integers extra = call.Ints("output_padding",
                             Integers(static_cast<size_t>(window.spatial), 0));
  FitOutput(call, x, &extra, &window);
  const bool line = window.spatial == 1;
  if (line) {
    AddHeight(&window);
    extra.insert(extra.begin(), 0);
    x = Unsqueeze(call, x, {2});
    weights = Unsqueeze(call, weights, {2});
  }
  // output_padding adds the end that the pads would cut off.
  Integers beyond(extra.size(), 0);
  for (size_t i = 0; i < extra.size(); ++i) {
    const int64_t cut = std::min(extra[i], window.after[i]);
    window.after[i] -= cut;
    beyond[i] = extra[i] - cut;
  }
  OnnxAttributes attributes = {{"strides", window.strides},
                               {"paddings", PadPairs(window)},
                               {"dilations", window.dilations},
                               {"groups", call.Int("group", 1)}};
  if (std::any_of(beyond.begin(), beyond.end(),
                  [](int64_t number) { return number != 0; })) {
    attributes.push_back({"output_padding", beyond});
  }
  ir::Value y = call.Call(
      window.spatial == kLastSpatial ? "conv3d_transpose" : "conv2d_transpose",
      {x, weights}, attributes);
  if (line) y = Squeeze(call, y, {2});
  call.Out(0, WithBias(call, y, 2));
}

// Images of sums of the columns of two spatial axes.
void Col2Im(OnnxCall& call) {
  const auto known = [&](int input) {
    const std::optional<Integers> list = call.KnownIntegers(call.In(input));
    if (call.ok() && (!list.has_value() || list->size() != 2)) {
      call.Refuse("there must be 2 spatial axes, of extents that are known");
    }
    return list.value_or(Integers{1, 1});
  };
  const Integers extents = known(1), block = known(2);
  ir::Value columns = call.In(0);
  const DataType dtype = DtypeOf(columns);
  if (dtype != DataType::kFloat64) {
    columns = Cast(call, columns,
                   IsInteger(dtype) ? DataType::kFloat64 : DataType::kFloat32);
  }
  const ir::Value images =
      call.Call("fold", {columns},
                {{"output_sizes", extents},
                 {"kernel_sizes", block},
                 {"strides", call.Ints("strides", {1, 1})},
                 {"paddings", call.Ints("pads", {0, 0, 0, 0})},
                 {"dilations", call.Ints("dilations", {1, 1})}});
  call.Out(0, Cast(call, images, dtype));
}

constexpr OnnxLowering kLowerings[] = {
    {"Col2Im", Col2Im},
    {"Conv", Conv},
    {"ConvTranspose", ConvTranspose},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxConvolutionLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
