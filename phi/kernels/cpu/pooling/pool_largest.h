// SPDX-License-Identifier: Apache-2.0
// The largest elements of windows, for pool2d on the CPU, and their places, for
// its gradients. NaN is larger than every number, as in PyTorch. Means are in
// pooling.h.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_POOLING_POOL_LARGEST_H_
#define SWITCHYARD_PHI_KERNELS_CPU_POOLING_POOL_LARGEST_H_

#include <algorithm>
#include <cstdint>

#include "framework/base/status.h"
#include "framework/device/cpu/parallel.h"
#include "framework/memory/buffer.h"
#include "phi/kernels/cpu/pooling/pool_call.h"
#include "phi/kernels/cpu/pooling/pool_pixels.h"
#include "phi/kernels/cpu/pooling/pool_planes.h"
#include "phi/kernels/cpu/simd/workspace.h"

namespace switchyard::phi::kernels::cpu {

// Calls pool(row) for each row of windows of each image, whose channels are
// adjacent elements.
template <typename T, typename Pool>
void ForEachPixelRow(const PoolCall& call, const T* x, T* out,
                     const Pool& pool) {
  const int64_t rows = call.out.extent(0), row = call.out.strides().row;
  const int64_t elements =
      std::max<int64_t>(1, call.x.extent(1) * call.x.channels());
  ParallelFor(0, call.x.images() * rows,
              std::max<int64_t>(1, (1 << 14) / elements),
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  pool(PixelRow<T>{call.windows, call.windows.rows[i % rows],
                                   x + call.x.image(i / rows), call.x.extent(1),
                                   call.x.channels(), out + i * row});
                }
              });
}

template <typename T>
absl::Status LargestOfWindows(Allocator& allocator, const PoolCall& call,
                              const T* x, T* out) {
  if (call.x.channels_last()) {
    ForEachPixelRow(call, x, out,
                    [](const PixelRow<T>& row) { LargestOfPixels(row); });
    return absl::OkStatus();
  }
  const int64_t height = call.x.extent(0), width = call.x.extent(1);
  const T* end = x + call.x.count() * height * width;
  return ParallelForWithWorkspace<T>(
      allocator, call.x.count(), call.grain(),
      PlanesWorkspace(call.windows, width),
      [&](int64_t first, int64_t last, T* workspace) {
        LargestOfPlanes({call.windows, height, width, last - first},
                        x + call.x.begin(first), end, workspace,
                        out + call.out.begin(first));
      });
}

// Where a window's largest element is in its plane of x: the first of equal
// ones, the last NaN if that is what is largest. -1 if it is not there.
template <typename T>
int64_t PlaceOfLargest(const PoolSpan& h, const PoolSpan& w, PlaneStrides in,
                       const T* x, T largest) {
  int64_t place = -1;
  const bool is_nan = largest != largest;
  for (int64_t y = h.begin; y < h.end; ++y) {
    for (int64_t c = w.begin; c < w.end; ++c) {
      const int64_t at = y * in.row + c * in.column;
      if (x[at] == largest) return at;
      if (is_nan && x[at] != x[at]) place = at;
    }
  }
  return place;
}

// Their gradient: each element of dx belongs to one tile, or to none. A NaN
// equals nothing, so tiles that have one are gone over again.
template <typename T>
void PoolTilesGrad(const PoolCall& call, const T* x, const T* out, const T* dy,
                   T* dx) {
  const int64_t in_row = call.x.strides().row, out_row = call.out.strides().row;
  const int64_t columns = call.out.extent(1), width = call.x.extent(1);
  for (int64_t y = 0; y < call.out.extent(0); ++y) {
    const T *top = x + 2 * y * in_row, *bottom = top + in_row;
    T *to = dx + 2 * y * in_row, *below = to + in_row;
    for (int64_t c = 0; c < columns; ++c) {
      const T largest = out[y * out_row + c], g = dy[y * out_row + c];
      const bool first = top[2 * c] == largest;
      const bool second = !first & (top[2 * c + 1] == largest);
      const bool third = !(first | second) & (bottom[2 * c] == largest);
      const bool fourth =
          !(first | second | third) & (bottom[2 * c + 1] == largest);
      to[2 * c] = first ? g : T{0};
      to[2 * c + 1] = second ? g : T{0};
      below[2 * c] = third ? g : T{0};
      below[2 * c + 1] = fourth ? g : T{0};
    }
    for (int64_t c = 0; c < columns; ++c) {
      const T largest = out[y * out_row + c];
      if (largest == largest) continue;
      const int64_t at =
          PlaceOfLargest(call.windows.rows[y], call.windows.columns[c],
                         call.x.strides(), x, largest);
      if (at >= 0) dx[at] = dy[y * out_row + c];
    }
    std::fill_n(to + 2 * columns, width - 2 * columns, T{0});
    std::fill_n(below + 2 * columns, width - 2 * columns, T{0});
  }
  for (int64_t y = 2 * call.out.extent(0); y < call.x.extent(0); ++y) {
    std::fill_n(dx + y * in_row, width, T{0});
  }
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_POOLING_POOL_LARGEST_H_
