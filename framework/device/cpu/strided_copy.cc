// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/strided_copy.h"

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <cstring>

#include "framework/device/cpu/parallel.h"

namespace switchyard {
namespace {

// Below this many elements a second thread costs more than it saves.
constexpr int64_t kElementsAThread = 1 << 16;

// The axes of a copy, outermost first, those joined that are contiguous with
// each other in both geometries, and those of extent 1 dropped.
struct Axes {
  int rank = 0;
  std::array<int64_t, kMaxRank> extents;
  std::array<int64_t, kMaxRank> from;
  std::array<int64_t, kMaxRank> to;
};

Axes Join(const Shape& shape, const Strides& from, const Strides& to) {
  Axes axes;
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t extent = shape.extent(i);
    if (extent == 1) continue;
    const int last = axes.rank - 1;
    if (last >= 0 && axes.from[last] == from[i] * extent &&
        axes.to[last] == to[i] * extent) {
      axes.extents[last] *= extent;
      axes.from[last] = from[i];
      axes.to[last] = to[i];
      continue;
    }
    axes.extents[axes.rank] = extent;
    axes.from[axes.rank] = from[i];
    axes.to[axes.rank] = to[i];
    ++axes.rank;
  }
  return axes;
}

template <typename T>
void CopyRow(int64_t count, const T* from, int64_t from_stride, T* to,
             int64_t to_stride) {
  if (from_stride == 1 && to_stride == 1) {
    std::memcpy(to, from, count * sizeof(T));
  } else if (from_stride == 0 && to_stride == 1) {
    std::fill_n(to, count, *from);
  } else {
    for (int64_t i = 0; i < count; ++i)
      to[i * to_stride] = from[i * from_stride];
  }
}

// Axes `axis` and inward.
template <typename T>
void CopyFrom(const Axes& axes, int axis, const T* from, T* to) {
  if (axis == axes.rank - 1) {
    CopyRow(axes.extents[axis], from, axes.from[axis], to, axes.to[axis]);
    return;
  }
  for (int64_t i = 0; i < axes.extents[axis]; ++i) {
    CopyFrom(axes, axis + 1, from + i * axes.from[axis],
             to + i * axes.to[axis]);
  }
}

template <typename T>
void Copy(Axes axes, int64_t numel, const void* from_bytes, void* to_bytes) {
  const T* from = static_cast<const T*>(from_bytes);
  T* to = static_cast<T*>(to_bytes);
  if (axes.rank == 0) {
    *to = *from;
    return;
  }
  const int64_t inner = numel / axes.extents[0];
  const int64_t grain = std::max<int64_t>(1, kElementsAThread / inner);
  ParallelFor(0, axes.extents[0], grain, [&](int64_t begin, int64_t end) {
    Axes part = axes;
    part.extents[0] = end - begin;
    CopyFrom(part, 0, from + begin * axes.from[0], to + begin * axes.to[0]);
  });
}

}  // namespace

void CopyStrided(size_t element_size, const Shape& shape, const void* from,
                 const Strides& from_strides, void* to,
                 const Strides& to_strides) {
  const int64_t numel = shape.numel();
  if (numel == 0) return;
  const Axes axes = Join(shape, from_strides, to_strides);
  switch (element_size) {
    case 1:
      return Copy<uint8_t>(axes, numel, from, to);
    case 2:
      return Copy<uint16_t>(axes, numel, from, to);
    case 4:
      return Copy<uint32_t>(axes, numel, from, to);
    case 8:
      return Copy<uint64_t>(axes, numel, from, to);
    default:
      return Copy<std::complex<double>>(axes, numel, from, to);
  }
}

}  // namespace switchyard
