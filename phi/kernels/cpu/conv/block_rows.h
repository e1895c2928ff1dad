// SPDX-License-Identifier: Apache-2.0
// The inner loops of convolutions of blocked channels (conv_blocks.h): a vector
// is channels of one block at one pixel.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_CONV_BLOCK_ROWS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_CONV_BLOCK_ROWS_H_

#include <cstdint>

#include "phi/shapes/window.h"

namespace switchyard::phi::kernels::cpu {

// Rows of a filter at most.
inline constexpr int64_t kMaxBlockKernel = 16;

// One row of results of a depthwise convolution, of one block of channels.
template <typename T>
struct DepthwiseRow {
  const T* rows[kMaxBlockKernel];  // The image's, by row of the filter.
  const T* filter;                 // [height][width][block]
  const T* zeros;                  // A block, or more.
  T* out;
  int64_t block, kernel_height;
  WindowAxis width;
  int64_t first, last;  // Results all of whose taps lie within the rows.
  // Sums run over the filter's columns, each from above; else over its rows.
  bool columns_first;
};

// Successive pixels of the results of a 1 x 1 convolution, all channels.
template <typename T>
struct PointwisePixels {
  const T* input;   // [blocks][plane][block]
  const T* filter;  // [out blocks][in blocks][block][out block]
  T* out;           // [out blocks][plane][block]
  int64_t block, in_channels, out_channels;
  int64_t plane;  // Pixels of an image.
  int64_t pixels;
};

template <typename T>
void RunDepthwiseRow(const DepthwiseRow<T>& row);

template <typename T>
void RunPointwise(const PointwisePixels<T>& pixels);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CONV_BLOCK_ROWS_H_
