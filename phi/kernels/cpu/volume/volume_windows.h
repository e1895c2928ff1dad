// SPDX-License-Identifier: Apache-2.0
// Windows over volumes: [channels, depth, height, width] with any strides. An
// image is a volume of depth 1.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_VOLUME_VOLUME_WINDOWS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_VOLUME_VOLUME_WINDOWS_H_

#include <algorithm>
#include <cstdint>

#include "framework/types/shape.h"
#include "phi/shapes/window.h"

namespace switchyard::phi::kernels::cpu {

// A contiguous tensor of images or volumes: extents, and how far apart
// neighbours lie. Axes are (depth, height, width).
struct VolumeTensor {
  int64_t batch, channels;
  int64_t batch_stride, channel_stride;
  int64_t extents[3], strides[3];

  VolumeTensor(const Shape& shape, bool last) {
    const int axes = shape.rank() - 2, first = last ? 1 : 2;
    batch = shape.extent(0);
    channels = shape.extent(last ? axes + 1 : 1);
    int64_t stride = last ? channels : 1;
    for (int i = 2; i >= 0; --i) {
      const int axis = i - (3 - axes);
      extents[i] = axis < 0 ? 1 : shape.extent(first + axis);
      strides[i] = stride;
      stride *= extents[i];
    }
    channel_stride = last ? 1 : stride;
    batch_stride = last ? stride : stride * channels;
  }
  int64_t pixels() const { return extents[0] * extents[1] * extents[2]; }
};

// Windows along the three axes.
struct VolumeWindows {
  WindowAxis axes[3];

  int64_t taps() const {
    return axes[0].kernel * axes[1].kernel * axes[2].kernel;
  }
  // Windows of one slice, and of all.
  int64_t slice() const { return axes[1].output * axes[2].output; }
  int64_t count() const { return axes[0].output * slice(); }
};

// Copies each window of a volume to a column: columns [channels * taps,
// windows], of the slices [first, last) of windows; 0 where a window has no
// element.
template <typename T>
void UnrollVolume(const VolumeTensor& volume, const VolumeWindows& windows,
                  int64_t channels, int64_t first, int64_t last, const T* from,
                  T* columns);

// Does the opposite: adds each column to the elements of its window.
template <typename T>
void AddColumns(const VolumeTensor& volume, const VolumeWindows& windows,
                int64_t channels, int64_t first, int64_t last, const T* columns,
                T* to);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_VOLUME_VOLUME_WINDOWS_H_
