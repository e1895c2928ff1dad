// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/interpolation/taps.h"

#include <algorithm>
#include <cmath>

namespace switchyard::phi::kernels::cpu {
namespace {

// The position in x of element i of the result. It is rounded where
// PaddlePaddle rounds it: weights depend on it.
template <typename C>
C PositionOf(int64_t i, float ratio, bool half_pixel) {
  if (!half_pixel) return ratio * static_cast<float>(i);
  const double centre = static_cast<double>(i) + 0.5;
  return static_cast<C>(double{ratio} * centre - 0.5);
}

// Returns that position with each step of it rounded.
float SteppedPosition(int64_t i, float ratio, bool half_pixel) {
  if (!half_pixel) return ratio * static_cast<float>(i);
  const float centre = ratio * (static_cast<float>(i) + 0.5f);
  return centre - 0.5f;
}

// P: the type of positions and of weights before they are multiplied.
template <typename P, typename C>
void AddLinearAt(int64_t in, P at, Taps<C>* taps) {
  at = std::max(P(0), at);
  // Sizes that `scale` did not give may lead after the last element.
  const int64_t first = std::min(static_cast<int64_t>(at), in - 1);
  const P beyond = std::min(P(1), at - static_cast<P>(first));
  taps->from.push_back(first);
  taps->from.push_back(std::min(first + 1, in - 1));
  taps->weights.push_back(static_cast<C>(P(1) - beyond));
  taps->weights.push_back(static_cast<C>(beyond));
}

// PaddlePaddle has positions on lines in the dtype of elements, heights of
// images in float, widths and what volumes have in float after each step.
template <typename C>
void AddLinear(const ResampledImage& image, int axis, int64_t i, float ratio,
               bool half_pixel, Taps<C>* taps) {
  const int64_t in = image.in[axis];
  if (image.axes == 1) {
    AddLinearAt<C, C>(in, PositionOf<C>(i, ratio, half_pixel), taps);
  } else if (image.axes == 2 && axis == 1) {
    AddLinearAt<float, C>(in, PositionOf<float>(i, ratio, half_pixel), taps);
  } else {
    AddLinearAt<float, C>(in, SteppedPosition(i, ratio, half_pixel), taps);
  }
}

// The cubic convolution of Keys, with a slope of -0.75 at 1: pieces for
// distances up to 1, and from 1 to 2.
template <typename C>
C NearWeight(C x) {
  return (C(1.25) * x - C(2.25)) * x * x + 1;
}
template <typename C>
C FarWeight(C x) {
  return ((C(-0.75) * x + C(3.75)) * x - 6) * x + 3;
}

template <typename C>
void AddCubic(const ResampledImage& image, int axis, int64_t i, float ratio,
              bool half_pixel, Taps<C>* taps) {
  const int64_t in = image.in[axis];
  const C at = PositionOf<C>(i, ratio, half_pixel);
  const C floor = std::min(std::floor(at), static_cast<C>(in - 1));
  const C beyond = std::min(C(1), at - floor);
  for (int64_t k = -1; k <= 2; ++k) {
    taps->from.push_back(
        std::clamp<int64_t>(static_cast<int64_t>(floor) + k, 0, in - 1));
  }
  taps->weights.push_back(FarWeight(beyond + 1));
  taps->weights.push_back(NearWeight(beyond));
  taps->weights.push_back(NearWeight(1 - beyond));
  taps->weights.push_back(FarWeight(2 - beyond));
}

template <typename C>
Taps<C> TapsAlong(const ResampledImage& image, int axis, const TapRule& rule) {
  const int64_t in = image.in[axis], out = image.out[axis];
  Taps<C> taps;
  if (in == 1 && out == 1) {
    taps.from = {0};
    taps.weights = {1};
    return taps;
  }
  const float ratio =
      rule.by_extents
          ? static_cast<float>(in) / static_cast<float>(out)
          : image.Ratio(axis, rule.align_corners, rule.recompute_scale_factor,
                        rule.centre_of_one);
  const bool half_pixel =
      rule.by_extents || (rule.half_pixel && !rule.align_corners);
  taps.count = rule.cubic ? 4 : 2;
  taps.from.reserve(out * taps.count);
  taps.weights.reserve(out * taps.count);
  const auto add = rule.cubic ? &AddCubic<C> : &AddLinear<C>;
  for (int64_t i = 0; i < out; ++i) {
    add(image, axis, i, ratio, half_pixel, &taps);
  }
  return taps;
}

}  // namespace

template <typename C>
std::array<Taps<C>, 3> MakeTaps(const ResampledImage& image,
                                const TapRule& rule) {
  return {TapsAlong<C>(image, 0, rule), TapsAlong<C>(image, 1, rule),
          TapsAlong<C>(image, 2, rule)};
}

template std::array<Taps<float>, 3> MakeTaps<float>(const ResampledImage&,
                                                    const TapRule&);
template std::array<Taps<double>, 3> MakeTaps<double>(const ResampledImage&,
                                                      const TapRule&);

}  // namespace switchyard::phi::kernels::cpu
