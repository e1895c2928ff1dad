// SPDX-License-Identifier: Apache-2.0
// How reference kernels of interpolations find elements: images of any number
// of spatial axes, in either format.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_INTERPOLATION_RESAMPLING_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_INTERPOLATION_RESAMPLING_H_

#include <cmath>
#include <cstdint>
#include <string_view>

#include "absl/types/span.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// Holds the attributes that positions depend on.
struct Resampling {
  absl::Span<const float> scale;
  std::string_view data_format;
  bool align_corners;
  bool recompute_scale_factor;
  // 2: centres to centres, by the quotient of extents; 3: as 0, and so for an
  // axis of one result, which is else the first element.
  int align_mode = 1;

  int first_axis() const { return data_format.back() == 'C' ? 1 : 2; }

  // The distance in x between neighbours of the result. PaddlePaddle computes
  // it and positions in float, which decides which element is nearest.
  float Ratio(int spatial_axis, int64_t in, int64_t out) const {
    if (align_mode == 2) return float(in) / float(out);
    if (out == 1 && (align_corners || align_mode != 3)) return 0;
    if (align_corners) return float(in - 1) / float(out - 1);
    if (scale.empty() || recompute_scale_factor) return float(in) / float(out);
    const float factor = scale.size() == 1 ? scale[0] : scale[spatial_axis];
    return float(1.0 / factor);
  }
};

// Returns the index in x of the element that `index` of the result is nearest
// to.
inline Index NearestIndex(const Resampling& how, const Shape& x,
                          const Shape& out, Index index) {
  const int first = how.first_axis();
  for (int i = 0; i < x.rank() - 2; ++i) {
    const int64_t in = x.extent(first + i);
    if (how.align_mode == 2) {
      const double centre = double(index[first + i]) + 0.5;
      index[first + i] = static_cast<int64_t>(
          std::floor(centre * double(in) / double(out.extent(first + i))));
      continue;
    }
    const float at =
        how.Ratio(i, in, out.extent(first + i)) * float(index[first + i]);
    const auto nearest = static_cast<int64_t>(
        how.align_corners ? std::round(at) : std::floor(at));
    index[first + i] = nearest < in ? nearest : in - 1;
  }
  return index;
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_INTERPOLATION_RESAMPLING_H_
