// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx/windows.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "static_graph/translate/onnx/onnx_values.h"

namespace switchyard::static_graph {
namespace {

void CheckLength(OnnxCall& call, const char* name, const Integers& list,
                 size_t length) {
  if (list.size() == length) return;
  call.Fail(ArgumentError(name, absl::StrCat("of ", length, " numbers"),
                          absl::StrCat(list.size())));
}

void CheckPositive(OnnxCall& call, const char* name, const Integers& list) {
  constexpr int64_t kMost = 1 << 30;
  for (const int64_t number : list) {
    if (number < 1 || number > kMost) {
      call.Fail(ArgumentError(name, "in [1, 2^30]", absl::StrCat(number)));
    }
  }
}

}  // namespace

OnnxWindow ReadWindow(OnnxCall& call, ir::Value x, const Integers& kernel) {
  OnnxWindow window;
  if (!call.ok()) return window;
  if (Rank(x) < 3) {
    call.Fail(
        ArgumentError("input", "of at least 3 axes", ToString(ShapeOf(x))));
    return window;
  }
  window.spatial = Rank(x) - 2;
  const auto count = static_cast<size_t>(window.spatial);
  window.kernel = kernel;
  window.strides = call.Ints("strides", Integers(count, 1));
  window.dilations = call.Ints("dilations", Integers(count, 1));
  const Integers pads = call.Ints("pads", Integers(2 * count, 0));
  CheckLength(call, "kernel_shape", window.kernel, count);
  CheckLength(call, "strides", window.strides, count);
  CheckLength(call, "dilations", window.dilations, count);
  CheckLength(call, "pads", pads, 2 * count);
  CheckPositive(call, "strides", window.strides);
  CheckPositive(call, "dilations", window.dilations);
  CheckPositive(call, "kernel_shape", window.kernel);
  if (!call.ok()) return window;
  window.before.assign(pads.begin(), pads.begin() + window.spatial);
  window.after.assign(pads.begin() + window.spatial, pads.end());
  const std::string mode = call.Text("auto_pad", "NOTSET");
  if (mode == "VALID") {
    window.before.assign(count, 0);
    window.after.assign(count, 0);
  }
  if (mode != "SAME_UPPER" && mode != "SAME_LOWER") return window;
  for (size_t i = 0; i < count; ++i) {
    const Dim dim = ShapeOf(x)[static_cast<int>(i) + 2];
    const int64_t stride = window.strides[i];
    const int64_t wide = (window.kernel[i] - 1) * window.dilations[i] + 1;
    if (!dim.known() && stride != 1) {
      call.Refuse("auto_pad needs extents that are known before the run");
      return window;
    }
    // With a stride of 1 the pads are the same for every extent.
    const int64_t extent = dim.known() ? dim.value() : wide;
    const int64_t windows = (extent + stride - 1) / stride;
    const int64_t pad =
        std::max<int64_t>(0, (windows - 1) * stride + wide - extent);
    const int64_t small = pad / 2;
    window.before[i] = mode == "SAME_UPPER" ? small : pad - small;
    window.after[i] = pad - window.before[i];
  }
  return window;
}

Integers PadPairs(const OnnxWindow& window) {
  Integers pairs;
  for (size_t i = 0; i < window.before.size(); ++i) {
    pairs.push_back(window.before[i]);
    pairs.push_back(window.after[i]);
  }
  return pairs;
}

}  // namespace switchyard::static_graph
