// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/volume/volume_windows.h"

#include <complex>

#include "framework/device/cpu/parallel.h"

namespace switchyard::phi::kernels::cpu {
namespace {

// Elements a chunk.
constexpr int64_t kGrain = 1 << 14;

// Where tap `k` of window `o` lies along an axis.
int64_t Position(const WindowAxis& axis, int64_t o, int64_t k) {
  return o * axis.stride - axis.before + k * axis.dilation;
}

// Calls visit(offset of the row's first element, row of the columns, whether
// the row lies within the volume) for each row of windows of one tap of one
// channel.
template <typename Visit>
void ForEachRow(const VolumeTensor& volume, const VolumeWindows& windows,
                int64_t tap, int64_t first, int64_t last, const Visit& visit) {
  const WindowAxis* axes = windows.axes;
  const int64_t ky = tap / axes[2].kernel % axes[1].kernel;
  const int64_t kz = tap / axes[2].kernel / axes[1].kernel;
  int64_t row = 0;
  for (int64_t oz = first; oz < last; ++oz) {
    const int64_t z = Position(axes[0], oz, kz);
    for (int64_t oy = 0; oy < axes[1].output; ++oy, ++row) {
      const int64_t y = Position(axes[1], oy, ky);
      const bool inside =
          z >= 0 && z < volume.extents[0] && y >= 0 && y < volume.extents[1];
      visit(z * volume.strides[0] + y * volume.strides[1], row, inside);
    }
  }
}

}  // namespace

template <typename T>
void UnrollVolume(const VolumeTensor& volume, const VolumeWindows& windows,
                  int64_t channels, int64_t first, int64_t last, const T* from,
                  T* columns) {
  const WindowAxis& x_axis = windows.axes[2];
  const int64_t taps = windows.taps();
  const int64_t width = (last - first) * windows.slice();
  const auto unroll = [&](int64_t i) {
    const T* plane = from + i / taps * volume.channel_stride;
    T* to = columns + i * width;
    const int64_t kx = i % taps % x_axis.kernel;
    ForEachRow(volume, windows, i % taps, first, last,
               [&](int64_t offset, int64_t row, bool inside) {
                 T* line = to + row * x_axis.output;
                 if (!inside) {
                   std::fill_n(line, x_axis.output, T{});
                   return;
                 }
                 for (int64_t ox = 0; ox < x_axis.output; ++ox) {
                   const int64_t x = Position(x_axis, ox, kx);
                   line[ox] = x >= 0 && x < volume.extents[2]
                                  ? plane[offset + x * volume.strides[2]]
                                  : T{};
                 }
               });
  };
  const int64_t grain =
      std::max<int64_t>(1, kGrain / std::max<int64_t>(1, width));
  ParallelFor(0, channels * taps, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) unroll(i);
  });
}

template <typename T>
void AddColumns(const VolumeTensor& volume, const VolumeWindows& windows,
                int64_t channels, int64_t first, int64_t last, const T* columns,
                T* to) {
  const WindowAxis& x_axis = windows.axes[2];
  const int64_t taps = windows.taps();
  const int64_t width = (last - first) * windows.slice();
  const auto add = [&](int64_t c, int64_t tap) {
    T* plane = to + c * volume.channel_stride;
    const T* column = columns + (c * taps + tap) * width;
    const int64_t kx = tap % x_axis.kernel;
    ForEachRow(volume, windows, tap, first, last,
               [&](int64_t offset, int64_t row, bool inside) {
                 if (!inside) return;
                 const T* line = column + row * x_axis.output;
                 for (int64_t ox = 0; ox < x_axis.output; ++ox) {
                   const int64_t x = Position(x_axis, ox, kx);
                   if (x < 0 || x >= volume.extents[2]) continue;
                   plane[offset + x * volume.strides[2]] += line[ox];
                 }
               });
  };
  // A channel is one thread's: its windows overlap.
  const int64_t grain =
      std::max<int64_t>(1, kGrain / std::max<int64_t>(1, taps * width));
  ParallelFor(0, channels, grain, [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      for (int64_t tap = 0; tap < taps; ++tap) add(c, tap);
    }
  });
}

#define SY_VOLUME_COLUMNS(T)                                                   \
  template void UnrollVolume(const VolumeTensor&, const VolumeWindows&,        \
                             int64_t, int64_t, int64_t, const T*, T*);         \
  template void AddColumns(const VolumeTensor&, const VolumeWindows&, int64_t, \
                           int64_t, int64_t, const T*, T*);
SY_VOLUME_COLUMNS(float)
SY_VOLUME_COLUMNS(double)
SY_VOLUME_COLUMNS(std::complex<float>)
SY_VOLUME_COLUMNS(std::complex<double>)
#undef SY_VOLUME_COLUMNS

}  // namespace switchyard::phi::kernels::cpu
