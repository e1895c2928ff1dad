// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/interpolation/grid_corners.h"

#include <cmath>

namespace switchyard::phi::kernels::cpu {

GridImage::GridImage(const Shape& x, const Shape& grid, std::string_view mode,
                     std::string_view padding_mode, bool align_corners)
    : batch_(x.extent(0)),
      channels_(x.extent(1)),
      axes_(x.rank() - 2),
      nearest_(mode == "nearest"),
      align_corners_(align_corners),
      zeros_(padding_mode == "zeros"),
      reflects_(padding_mode == "reflection") {
  for (int i = 0; i < axes_; ++i) {
    extents_[i] = x.extent(x.rank() - 1 - i);
    pixels_ *= extents_[i];
    points_ *= grid.extent(1 + i);
  }
}

GridImage::Position GridImage::Find(int64_t extent, double number) const {
  const double last = static_cast<double>(extent - 1);
  // The ends of the image: centres of its outer elements, or their edges.
  const double low = align_corners_ ? 0.0 : -0.5;
  const double length = last - 2 * low;
  Position position{(number + 1) * (length / 2) + low, length / 2};
  if (zeros_) return position;
  if (reflects_) {
    const double beyond = position.at - low;
    if (length == 0) return {0, 0};
    const double rest = std::fmod(std::abs(beyond), 2 * length);
    if (beyond < 0) position.slope = -position.slope;
    if (rest > length) position.slope = -position.slope;
    position.at = (rest > length ? 2 * length - rest : rest) + low;
  }
  if (position.at < 0) return {0, 0};
  if (position.at > last) return {last, 0};
  return position;
}

void GridImage::Split(int i, double number, int64_t stride,
                      GridCorners* corners) const {
  const int64_t extent = extents_[i];
  const Position position = Find(extent, number);
  const double first =
      nearest_ ? std::round(position.at) : std::floor(position.at);
  const double beyond = position.at - first;
  GridCorners split;
  for (int k = 0; k < (nearest_ ? 1 : 2); ++k) {
    const double element = first + k;
    // Elements outside give nothing; NaN is outside.
    if (!(element >= 0 && element < static_cast<double>(extent))) continue;
    const double weight = nearest_ ? 1.0 : k == 0 ? 1 - beyond : beyond;
    const double slope = nearest_ ? 0.0
                         : k == 0 ? -position.slope
                                  : position.slope;
    for (int c = 0; c < corners->count; ++c) {
      GridCorner& corner = split.corners[split.count++];
      corner = corners->corners[c];
      corner.offset += static_cast<int64_t>(element) * stride;
      corner.weight *= weight;
      for (int other = 0; other < 3; ++other) {
        corner.slopes[other] *= other == i ? slope : weight;
      }
    }
  }
  *corners = split;
}

}  // namespace switchyard::phi::kernels::cpu
