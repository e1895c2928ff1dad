// SPDX-License-Identifier: Apache-2.0
// Windows of images whose channels are adjacent elements (NHWC, or a block of
// channels), vectorised over the channels.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_POOLING_POOL_PIXELS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_POOLING_POOL_PIXELS_H_

#include <cstdint>

#include "phi/kernels/cpu/pooling/pool_windows.h"

namespace switchyard::phi::kernels::cpu {

// The windows of one row of the result, and the image that they are of. `out`
// is the row, without gaps.
template <typename T>
struct PixelRow {
  const PoolWindows& windows;
  const PoolSpan& rows;
  const T* image;
  int64_t width, channels;
  T* out;
};

// Stores the largest element of each window and channel; NaN if it has one. Of
// equal elements it is the one that LargestOfPlanes() (pool_planes.h) finds.
void LargestOfPixels(const PixelRow<float>& row);
void LargestOfPixels(const PixelRow<double>& row);
void LargestOfPixels(const PixelRow<int8_t>& row);
void LargestOfPixels(const PixelRow<uint8_t>& row);

// Stores the mean of each window and channel: the sum of its rows' sums.
void MeanOfPixels(const PixelRow<float>& row);
void MeanOfPixels(const PixelRow<double>& row);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_POOLING_POOL_PIXELS_H_
