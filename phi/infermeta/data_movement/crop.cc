// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/data_movement/crop.h"

#include <cstddef>
#include <limits>
#include <string>

#include "phi/infermeta/checks.h"
#include "phi/infermeta/data_movement/arrangement.h"
#include "phi/infermeta/elementwise/elementwise.h"

namespace switchyard::phi {

absl::Status CropInferMeta(const TensorSpec& x, AttrValues shape,
                           AttrValues offsets, TensorSpec* out) {
  const auto rank = static_cast<size_t>(x.shape.rank());
  if (shape.size() != rank) {
    return ArgumentError("shape", std::to_string(rank) + " extents",
                         std::to_string(shape.size()));
  }
  if (offsets.size() != 0 && offsets.size() != rank) {
    return ArgumentError("offsets", std::to_string(rank) + " numbers",
                         std::to_string(offsets.size()));
  }
  Shape cropped;
  for (size_t i = 0; i < rank; ++i) {
    const AttrValue start = offsets.empty() ? AttrValue(0) : offsets[i];
    const Dim extent = x.shape[static_cast<int>(i)];
    constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
    const int64_t most = extent.known() ? extent.value() : kMax;
    if (start.known() && (start.value() < 0 || start.value() > most)) {
      return RangeError("offsets", "in [0, " + ToString(extent) + "]",
                        std::to_string(start.value()));
    }
    const int64_t left = start.known() ? most - start.value() : most;
    if (shape[i].known() &&
        (shape[i].value() < -1 || shape[i].value() > left)) {
      return ArgumentError("shape", "-1 or within x after the offset",
                           std::to_string(shape[i].value()));
    }
    const bool rest = shape[i] == AttrValue(-1);
    const bool left_known = extent.known() && start.known();
    cropped.push_back(!rest        ? shape[i].dim()
                      : left_known ? Dim(left)
                                   : Dim::Unknown());
  }
  return SetOutput(out, x.dtype, cropped);
}

absl::Status StepSliceInferMeta(const TensorSpec& x,
                                absl::Span<const int64_t> axes,
                                AttrValues starts, AttrValues ends,
                                AttrValues steps, TensorSpec* out) {
  const size_t count = axes.size();
  if (starts.size() != count || ends.size() != count || steps.size() != count) {
    return ArgumentError("starts, ends and steps",
                         "as many as axes (" + std::to_string(count) + ")",
                         std::to_string(starts.size()) + ", " +
                             std::to_string(ends.size()) + " and " +
                             std::to_string(steps.size()));
  }
  for (size_t i = 0; i < count; ++i) {
    if (!steps[i].known() || steps[i].value() >= 1) continue;
    return ArgumentError("steps", "1 or more", ToString(steps));
  }
  return StridedSliceInferMeta(x, axes, starts, ends, steps, {}, out);
}

}  // namespace switchyard::phi
