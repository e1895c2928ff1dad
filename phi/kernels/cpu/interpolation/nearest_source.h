// SPDX-License-Identifier: Apache-2.0
// Which element of x each element of a nearest_interp is.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_NEAREST_SOURCE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_NEAREST_SOURCE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "phi/kernels/cpu/interpolation/resampled_image.h"

namespace switchyard::phi::kernels::cpu {

// Maps the elements of one axis, in both directions. Sources never decrease.
struct NearestSource {
  std::vector<int64_t> from;    // By element of the result.
  std::vector<int64_t> firsts;  // By element of x, and one more.
  bool doubles = false;         // Element i is i / 2 of x.

  // The elements of the result that element i of x became.
  int64_t begin(int64_t i) const { return firsts[i]; }
  int64_t end(int64_t i) const { return firsts[i + 1]; }
};

// Returns the sources along depth, height and width; with `half_pixel` the
// elements at the centres of what is covered, whatever else is given.
std::array<NearestSource, 3> NearestSources(const ResampledImage& image,
                                            bool align_corners,
                                            bool recompute_scale_factor,
                                            bool half_pixel);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_NEAREST_SOURCE_H_
