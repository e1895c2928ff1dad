// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/interpolation/nearest_source.h"

#include <algorithm>
#include <cmath>

namespace switchyard::phi::kernels::cpu {
namespace {

NearestSource SourceAlong(int64_t in, int64_t out, float ratio,
                          bool align_corners) {
  NearestSource source;
  source.from.resize(out);
  source.firsts.assign(in + 1, out);
  source.doubles = out == 2 * in;
  for (int64_t i = out - 1; i >= 0; --i) {
    const float at = ratio * static_cast<float>(i);
    // Sizes that `scale` did not give may lead after the last element.
    const int64_t from = std::min<int64_t>(
        align_corners ? std::lround(at) : static_cast<int64_t>(at), in - 1);
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
                                            bool recompute_scale_factor) {
  std::array<NearestSource, 3> sources;
  for (int axis = 0; axis < 3; ++axis) {
    sources[axis] =
        SourceAlong(image.in[axis], image.out[axis],
                    image.Ratio(axis, align_corners, recompute_scale_factor),
                    align_corners);
  }
  return sources;
}

}  // namespace switchyard::phi::kernels::cpu
