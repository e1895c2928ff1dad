// SPDX-License-Identifier: Apache-2.0
// Taps: which elements of x an element of an interpolation is made of.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_TAPS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_TAPS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "phi/kernels/cpu/interpolation/resampled_image.h"

namespace switchyard::phi::kernels::cpu {

// Lists the taps along one axis: element i of the result is the sum of `count`
// elements of x, from[i * count] and those after it, times their weights.
template <typename C>
struct Taps {
  int64_t count = 1;
  std::vector<int64_t> from;
  std::vector<C> weights;
};

// Says how positions in x are found.
struct TapRule {
  bool cubic;          // Four taps, else two.
  bool align_corners;  // First to first, last to last elements.
  bool half_pixel;     // Centres of pixels to centres, else edges to edges.
  bool recompute_scale_factor;
  bool by_extents = false;  // Centres to centres by the quotient of extents.
  // A single element is at the centre too; else it is the first one.
  bool centre_of_one = false;
};

// Returns the taps along depth, height and width, for C float or double; there
// is one along an axis of extent 1 that stays so.
template <typename C>
std::array<Taps<C>, 3> MakeTaps(const ResampledImage& image,
                                const TapRule& rule);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_TAPS_H_
