// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/interpolation/nearest_source.h"

#include <algorithm>
#include <cmath>

namespace switchyard::phi::kernels::cpu {
namespace {

// Finds the source of element i of the result along an axis of extents `in`
// and `out`.
struct PlaceRule {
  float ratio;
  bool align_corners;
  bool half_pixel;

  int64_t operator()(int64_t i, int64_t in, int64_t out) const {
    if (half_pixel) return (2 * i + 1) * in / (2 * out);
    const float at = ratio * static_cast<float>(i);
    // Sizes that `scale` did not give may lead after the last element.
    return std::min<int64_t>(
        align_corners ? std::lround(at) : static_cast<int64_t>(at), in - 1);
  }
};

NearestSource SourceAlong(int64_t in, int64_t out, const PlaceRule& place) {
  NearestSource source;
  source.from.resize(out);
  source.firsts.assign(in + 1, out);
  source.doubles = out == 2 * in;
  for (int64_t i = out - 1; i >= 0; --i) {
    const int64_t from = place(i, in, out);
    source.from[i] = from;
    source.doubles = source.doubles && from == i / 2;
    source.firsts[from] = i;
  }
  // Elements that became nothing begin where the next ones do.
  for (int64_t i = in - 1; i >= 0; --i) {
    source.firsts[i] = std::min(source.firsts[i], source.firsts[i + 1]);
  }
  return source;
}

}  // namespace

std::array<NearestSource, 3> NearestSources(const ResampledImage& image,
                                            bool align_corners,
                                            bool recompute_scale_factor,
                                            bool half_pixel) {
  std::array<NearestSource, 3> sources;
  for (int axis = 0; axis < 3; ++axis) {
    const float ratio =
        image.Ratio(axis, align_corners, recompute_scale_factor);
    sources[axis] = SourceAlong(image.in[axis], image.out[axis],
                                {ratio, align_corners, half_pixel});
  }
  return sources;
}

}  // namespace switchyard::phi::kernels::cpu
