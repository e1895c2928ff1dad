// SPDX-License-Identifier: Apache-2.0
// How interpolations of [batch, channels, spatial axes] tensors, or [batch,
// spatial axes, channels] ones, read their attributes.
#ifndef SWITCHYARD_PHI_SHAPES_INTERPOLATION_H_
#define SWITCHYARD_PHI_SHAPES_INTERPOLATION_H_

#include <cstddef>
#include <string_view>

#include "absl/types/span.h"

namespace switchyard::phi {

// Returns true for "NHWC" and its like, whatever the number of spatial axes.
inline bool ChannelsLast(std::string_view data_format) {
  return !data_format.empty() && data_format.back() == 'C';
}

// Returns the factor along a spatial axis: that of all axes if there is one
// alone, 0 if there is none.
inline float ScaleAlong(absl::Span<const float> scale, int axis) {
  if (scale.empty()) return 0.0f;
  return scale[scale.size() == 1 ? 0 : static_cast<size_t>(axis)];
}

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_SHAPES_INTERPOLATION_H_
