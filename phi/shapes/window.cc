// SPDX-License-Identifier: Apache-2.0
#include "phi/shapes/window.h"

#include <algorithm>
#include <limits>
#include <string>

#include "framework/base/quoted.h"
#include "framework/types/attribute.h"

namespace switchyard::phi {
namespace {

// Sums and products of extents do not leave it.
__extension__ using Wide = __int128;

absl::Status CheckNumbers(std::string_view argument,
                          absl::Span<const int> numbers, size_t axes,
                          bool both_sides, int lowest) {
  const bool size_fits =
      numbers.size() == axes || (both_sides && numbers.size() == 2 * axes);
  const bool large_enough =
      std::all_of(numbers.begin(), numbers.end(),
                  [lowest](int number) { return number >= lowest; });
  if (size_fits && large_enough) return absl::OkStatus();
  std::string count = std::to_string(axes);
  if (both_sides) count += " or " + std::to_string(2 * axes);
  return ArgumentError(argument,
                       count + " numbers from " + std::to_string(lowest),
                       ToString(AttrRef(numbers)));
}

// Returns a window with all that does not depend on its other end; `extent` is
// what "SAME" speaks of.
WindowAxis PaddedWindow(const WindowAttrs& attrs, int axis, int64_t extent,
                        int64_t kernel) {
  WindowAxis window;
  window.kernel = kernel;
  window.stride = attrs.strides[axis];
  if (!attrs.dilations.empty()) window.dilation = attrs.dilations[axis];
  if (attrs.padding_algorithm == "SAME") {
    window.dilation = 1;
    const int64_t outputs =
        extent / window.stride + (extent % window.stride != 0 ? 1 : 0);
    const Wide reach =
        Wide(std::max<int64_t>(outputs, 1) - 1) * window.stride + kernel;
    const Wide missing = std::max<Wide>(reach - extent, 0);
    window.before = static_cast<int64_t>(missing / 2);
    window.after = static_cast<int64_t>(missing - missing / 2);
  } else if (attrs.padding_algorithm != "VALID") {
    const bool both = attrs.paddings.size() == 2 * attrs.strides.size();
    window.before = attrs.paddings[both ? 2 * axis : axis];
    window.after = attrs.paddings[both ? 2 * axis + 1 : axis];
  }
  return window;
}

Wide Reach(const WindowAxis& window) {
  return Wide(window.dilation) * (window.kernel - 1) + 1;
}

const char* AxisName(const WindowAttrs& attrs, int axis) {
  constexpr const char* kFromLast[] = {"width", "height", "depth"};
  return kFromLast[attrs.strides.size() - 1 - static_cast<size_t>(axis)];
}

}  // namespace

absl::Status CheckWindowAttrs(const WindowAttrs& attrs, int axes) {
  const auto count = static_cast<size_t>(axes);
  SY_RETURN_IF_ERROR(CheckNumbers("strides", attrs.strides, count, false, 1));
  if (!attrs.dilations.empty()) {
    SY_RETURN_IF_ERROR(
        CheckNumbers("dilations", attrs.dilations, count, false, 1));
  }
  const std::string_view algorithm = attrs.padding_algorithm;
  if (algorithm != "EXPLICIT" && algorithm != "WHOLE" && algorithm != "SAME" &&
      algorithm != "VALID") {
    return ArgumentError("padding_algorithm",
                         "\"EXPLICIT\", \"WHOLE\", \"SAME\" or \"VALID\"",
                         Quoted(algorithm));
  }
  return CheckNumbers("paddings", attrs.paddings, count, true, 0);
}

absl::StatusOr<WindowAxis> ResolveWindow(const WindowAttrs& attrs, int axis,
                                         int64_t input, int64_t kernel,
                                         std::string_view name, bool round_up) {
  WindowAxis window = PaddedWindow(attrs, axis, input, kernel);
  window.input = input;
  const Wide padded = Wide(input) + window.before + window.after;
  const Wide room = padded - Reach(window) + (round_up ? window.stride - 1 : 0);
  // As in Paddle, which divides towards zero, there is a window that reaches
  // beyond the padding by less than a stride where no whole one fits.
  if (room < 0 && room > -window.stride && attrs.padding_algorithm != "WHOLE") {
    window.after += static_cast<int64_t>(-room);
    return window;
  }
  if (room < 0) {
    return ArgumentError(name,
                         "windows within the padded input, of extent " +
                             std::to_string(static_cast<int64_t>(padded)) +
                             " along " + AxisName(attrs, axis),
                         std::to_string(kernel));
  }
  Wide output = room / window.stride + 1;
  // A window that starts after the elements would have none.
  if (round_up && (output - 1) * window.stride >= Wide(input) + window.before) {
    --output;
  }
  if (output > std::numeric_limits<int64_t>::max()) {
    return SizeError("paddings", "such that the result's extents fit", "more");
  }
  window.output = static_cast<int64_t>(output);
  return window;
}

absl::StatusOr<WindowAxis> ResolveTransposedWindow(const WindowAttrs& attrs,
                                                   int axis, int64_t extent,
                                                   int64_t kernel,
                                                   std::string_view name) {
  WindowAxis window = PaddedWindow(attrs, axis, extent, kernel);
  window.output = extent;
  const Wide covered = Wide(extent - 1) * window.stride + Reach(window) -
                       window.before - window.after;
  if (extent == 0 || covered < 1) {
    return ArgumentError(
        name,
        std::string("such that the result has elements along ") +
            AxisName(attrs, axis),
        std::to_string(extent));
  }
  if (covered > std::numeric_limits<int64_t>::max()) {
    return SizeError("strides", "such that the result's extents fit", "more");
  }
  window.input = static_cast<int64_t>(covered);
  return window;
}

}  // namespace switchyard::phi
