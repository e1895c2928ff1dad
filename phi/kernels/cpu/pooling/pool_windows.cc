// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/pooling/pool_windows.h"

#include <algorithm>

namespace switchyard::phi::kernels::cpu {
namespace {

std::vector<PoolSpan> Adaptive(int64_t extent, int64_t outputs) {
  std::vector<PoolSpan> spans(outputs);
  for (int64_t o = 0; o < outputs; ++o) {
    // Computes o * extent / outputs, which may leave int64.
    const int64_t whole = extent / outputs, rest = extent % outputs;
    const int64_t begin = o * whole + o * rest / outputs;
    const int64_t end =
        (o + 1) * whole + ((o + 1) * rest + outputs - 1) / outputs;
    spans[o] = {begin, end, end - begin};
  }
  return spans;
}

std::vector<PoolSpan> Regular(const WindowAxis& axis) {
  std::vector<PoolSpan> spans(axis.output);
  for (int64_t o = 0; o < axis.output; ++o) {
    const int64_t begin = o * axis.stride - axis.before;
    // As Paddle, only as much padding after as there is in front is counted.
    const int64_t end = std::min(begin + axis.kernel, axis.input + axis.before);
    spans[o] = {std::max<int64_t>(begin, 0), std::min(end, axis.input),
                end - begin};
  }
  return spans;
}

bool AreTilesOfTwo(const std::vector<PoolSpan>& spans) {
  for (size_t i = 0; i < spans.size(); ++i) {
    const auto begin = static_cast<int64_t>(2 * i);
    if (spans[i].begin != begin || spans[i].end != begin + 2) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<PoolWindows> MakeWindows(std::array<int64_t, 2> extents,
                                        absl::Span<const int64_t> kernel_size,
                                        const WindowAttrs& attrs,
                                        bool ceil_mode, bool exclusive,
                                        bool global_pooling, bool adaptive) {
  PoolWindows windows;
  windows.exclusive = exclusive || adaptive || global_pooling;
  for (int axis = 0; axis < 2; ++axis) {
    std::vector<PoolSpan>& spans = axis == 0 ? windows.rows : windows.columns;
    if (global_pooling) {
      spans = {{0, extents[axis], extents[axis]}};
    } else if (adaptive) {
      spans = Adaptive(extents[axis], kernel_size[axis]);
    } else {
      SY_ASSIGN_OR_RETURN(
          const WindowAxis window,
          ResolveWindow(attrs, axis, extents[axis], kernel_size[axis],
                        "kernel_size", ceil_mode));
      spans = Regular(window);
      if (axis == 1) windows.across = window;
    }
  }
  windows.tiles = AreTilesOfTwo(windows.rows) && AreTilesOfTwo(windows.columns);
  return windows;
}

}  // namespace switchyard::phi::kernels::cpu
