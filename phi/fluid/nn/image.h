// SPDX-License-Identifier: Apache-2.0
// Image: how the legacy kernels of conv2d and pool2d find an element and the
// place of a window.
#ifndef SWITCHYARD_PHI_FLUID_NN_IMAGE_H_
#define SWITCHYARD_PHI_FLUID_NN_IMAGE_H_

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "absl/types/span.h"
#include "framework/tensor/dense_tensor.h"

namespace switchyard::phi::fluid {

// The extents and strides of a contiguous tensor of images, wherever its
// channels are.
struct Image {
  int64_t batch, channels, height, width;
  bool channels_last;

  Image(const DenseTensor& x, std::string_view format)
      : batch(x.extent(0)),
        channels(x.extent(format == "NHWC" ? 3 : 1)),
        height(x.extent(format == "NHWC" ? 1 : 2)),
        width(x.extent(format == "NHWC" ? 2 : 3)),
        channels_last(format == "NHWC") {}

  int64_t at(int64_t n, int64_t c, int64_t h, int64_t w) const {
    return channels_last ? ((n * height + h) * width + w) * channels + c
                         : ((n * channels + c) * height + h) * width + w;
  }
};

// The padding before the first of `extent` elements along axis 0 (height) or 1.
// "SAME" has a window begin at each `stride`, and as much padding after the
// last element as before the first, or one more.
inline int64_t PaddingAt(absl::Span<const int> paddings,
                         std::string_view algorithm, int axis, int64_t extent,
                         int64_t window, int64_t stride) {
  if (algorithm == "VALID") return 0;
  if (algorithm != "SAME") {
    return paddings[paddings.size() == 4 ? 2 * axis : axis];
  }
  const int64_t windows = (extent + stride - 1) / stride;
  const int64_t reached = (windows - 1) * stride + window;
  return windows == 0 ? 0 : std::max<int64_t>(0, reached - extent) / 2;
}

}  // namespace switchyard::phi::fluid

#endif  // SWITCHYARD_PHI_FLUID_NN_IMAGE_H_
