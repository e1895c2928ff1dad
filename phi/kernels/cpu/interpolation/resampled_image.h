// SPDX-License-Identifier: Apache-2.0
// ResampledImage: what an interpolation on the CPU works on, whatever the rank,
// the format and the layout of its tensors.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_RESAMPLED_IMAGE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_RESAMPLED_IMAGE_H_

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "absl/types/span.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/image_layouts.h"
#include "phi/shapes/interpolation.h"

namespace switchyard::phi::kernels::cpu {

// Describes an image tensor and its resampled one as [outer, depth, height,
// width, inner] in memory: planes if channels come first, pixels if they come
// last, and blocks of pixels if they are blocked. Missing axes have extent 1.
struct ResampledImage {
  int64_t outer = 1, inner = 1;
  int64_t in[3] = {1, 1, 1};
  int64_t out[3] = {1, 1, 1};
  float scale[3] = {0, 0, 0};  // Factors as given; 0: none.
  int axes = 3;                // Spatial ones, the last of the three.

  int64_t in_size() const { return in[0] * in[1] * in[2] * inner; }
  int64_t out_size() const { return out[0] * out[1] * out[2] * inner; }
  // Returns the distance in x between neighbours of the result along an axis,
  // in float as PaddlePaddle has it; 0 where the result is one element and has
  // no centre, so that it is the first one of x.
  float Ratio(int axis, bool align_corners, bool recompute_scale_factor,
              bool centre_of_one = false) const {
    const auto from = static_cast<float>(in[axis]);
    const auto to = static_cast<float>(out[axis]);
    if (out[axis] <= 1 && (align_corners || !centre_of_one)) return 0.0f;
    if (align_corners) return (from - 1) / (to - 1);
    if (scale[axis] > 0 && !recompute_scale_factor) {
      return static_cast<float>(1.0 / double{scale[axis]});
    }
    return from / to;
  }
  // Items of `elements` elements a chunk of work.
  static int64_t Grain(int64_t elements) {
    return std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(1, elements));
  }
};

// `small` has x's shape, `large` that of the result; both are contiguous in the
// same layout.
inline ResampledImage MakeResampledImage(const DenseTensor& small,
                                         const DenseTensor& large,
                                         absl::Span<const float> scale,
                                         std::string_view data_format) {
  ResampledImage image;
  const int rank = small.rank(), spatial = rank - 2;
  image.axes = spatial;
  const bool last = ChannelsLast(data_format);
  const int64_t channels = small.extent(last ? rank - 1 : 1);
  image.inner = last ? channels : 1;
  if (!small.layout().strided()) {
    // No block: channels first in memory.
    image.inner =
        std::max<int64_t>(1, ChannelBlock(small.layout(), data_format));
  }
  // A block may be filled up with channels that there are not.
  image.outer =
      image.inner == 0
          ? 0
          : small.extent(0) * ((channels + image.inner - 1) / image.inner);
  for (int i = 0; i < spatial; ++i) {
    const int axis = 3 - spatial + i;
    image.in[axis] = small.extent((last ? 1 : 2) + i);
    image.out[axis] = large.extent((last ? 1 : 2) + i);
    image.scale[axis] = ScaleAlong(scale, i);
  }
  return image;
}

// Images in other layouts are resampled as they come, to the same bits.
template <typename S>
absl::Status ResampledLayouts(const LayoutCall& call, TensorLayouts* layouts) {
  FollowImage(call.attrs[S::kDataFormat].template Get<std::string_view>(),
              layouts);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_RESAMPLED_IMAGE_H_
