// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/pooling/pool_planes.h"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

// Compiled once for each instruction set: simd_targets.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "phi/kernels/cpu/pooling/pool_planes.cc"
#include "phi/kernels/cpu/simd/simd_targets.h"
// After it: the header of each instruction set.
#include "phi/kernels/cpu/simd/vector_tails-inl.h"

#ifndef SWITCHYARD_PHI_KERNELS_CPU_POOLING_POOL_PLANES_CC_
#define SWITCHYARD_PHI_KERNELS_CPU_POOLING_POOL_PLANES_CC_
namespace switchyard::phi::kernels::cpu {

// How workspace is laid out: rows of `pitch` elements, one for each row of out
// in a group, which hold the largest elements of columns of windows. Padding of
// the lowest value lies around them, so that all windows of a row are alike.
struct WorkspaceRows {
  static constexpr int64_t kMaxKernel = 32;
  static constexpr int64_t kMaxLanes = 64;  // Of int8 in AVX-512.
  static constexpr int64_t kElements = 2048;

  WorkspaceRows(const PoolWindows& windows, int64_t width) : used(width) {
    const auto columns = static_cast<int64_t>(windows.columns.size());
    if (windows.across && windows.across->stride <= 2 &&
        windows.across->kernel <= kMaxKernel) {
      stride = windows.across->stride;
      kernel = windows.across->kernel;
      before = windows.across->before;
      pitch = adjacent() ? columns * stride : (columns - 1) * stride + kernel;
      used = std::min(width, pitch - before);
    } else {
      pitch = width;
    }
    rows = std::max<int64_t>(1, kElements / std::max<int64_t>(1, pitch));
  }

  // Windows that share no elements: those of all rows follow one another at
  // equal distances.
  bool adjacent() const { return kernel <= stride; }
  // Whole vectors are read and written: at most two at `stride` 2 beyond the
  // last row, from any element of a window on.
  int64_t elements() const { return rows * pitch + 4 * kMaxLanes + kMaxKernel; }

  int64_t stride = 0;  // 0: windows are not vectorised along the width.
  int64_t kernel = 1, before = 0;
  int64_t used;  // Columns of x that are in a window.
  int64_t pitch, rows;
};

template <typename T>
constexpr T Lowest() {
  using Limits = std::numeric_limits<T>;
  return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
}

}  // namespace switchyard::phi::kernels::cpu
#endif  // SWITCHYARD_PHI_KERNELS_CPU_POOLING_POOL_PLANES_CC_

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

template <typename T>
using Vector = hn::Vec<VectorTag<T>>;

// The larger one; NaN if one of them is: x86's Max is `b` then.
template <typename T>
HWY_INLINE Vector<T> Larger(Vector<T> a, Vector<T> b) {
  if constexpr (std::is_floating_point_v<T>) {
    return hn::IfThenElse(hn::IsNaN(a), a, hn::Max(a, b));
  } else {
    return hn::Max(a, b);
  }
}
// Finds the largest element of each column over `rows` rows, `width` elements
// apart. kRows is `rows`, or 0 if that is not known to the compiler.
template <int kRows, typename T>
HWY_INLINE void LargestDown(const T* x, int64_t rows, int64_t width,
                            int64_t used, const T* end, T* to) {
  const VectorTag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  const int64_t count = kRows > 0 ? kRows : rows;
  int64_t c = 0;
  for (; c + kLanes <= used; c += kLanes) {
    auto largest = hn::LoadU(d, x + c);
    for (int64_t y = 1; y < count; ++y) {
      largest = Larger<T>(largest, hn::LoadU(d, x + y * width + c));
    }
    hn::StoreU(largest, d, to + c);
  }
  if (c == used) return;
  const auto lowest = hn::Set(d, Lowest<T>());
  if (end - x - (count - 1) * width - c >= kLanes) {
    auto largest = hn::LoadU(d, x + c);
    for (int64_t y = 1; y < count; ++y) {
      largest = Larger<T>(largest, hn::LoadU(d, x + y * width + c));
    }
    largest = hn::IfThenElse(hn::FirstN(d, used - c), largest, lowest);
    hn::StoreU(largest, d, to + c);
    return;
  }
  auto largest = lowest;
  for (int64_t y = 0; y < count; ++y) {
    largest =
        Larger<T>(largest, LoadSome(x + y * width + c, used - c, Lowest<T>()));
  }
  hn::StoreU(largest, d, to + c);
}

// Finds the largest element of each of `count` windows that are `kStride`
// elements apart. `room` elements may be written, of which those after `count`
// are anything.
template <int kKernel, int kStride, typename T>
HWY_INLINE void LargestAcross(const T* x, int64_t kernel, int64_t count,
                              int64_t room, T* to) {
  const VectorTag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  const int64_t size = kKernel > 0 ? kKernel : kernel;
  for (int64_t i = 0; i < count; i += kLanes) {
    const T* from = x + kStride * i;
    Vector<T> largest, next;
    if constexpr (kStride == 1) {
      largest = hn::LoadU(d, from);
      for (int64_t j = 1; j < size; ++j) {
        largest = Larger<T>(largest, hn::LoadU(d, from + j));
      }
    } else {
      hn::LoadInterleaved2(d, from, largest, next);
      if (size > 1) largest = Larger<T>(largest, next);
      for (int64_t j = 2; j < size; j += 2) {
        Vector<T> even;
        hn::LoadInterleaved2(d, from + j, even, next);
        largest = Larger<T>(largest, even);
        if (j + 1 < size) largest = Larger<T>(largest, next);
      }
    }
    StoreSome<T>(largest, room - i, to + i);
  }
}

template <int kKernel, int kStride, typename T>
void LargestOfRows(const WorkspaceRows& layout, const T* x, int64_t rows,
                   int64_t columns, int64_t room, T* to) {
  if (layout.adjacent()) {
    LargestAcross<kKernel, kStride>(x, layout.kernel, rows * columns, room, to);
    return;
  }
  for (int64_t r = 0; r < rows; ++r) {
    LargestAcross<kKernel, kStride>(x + r * layout.pitch, layout.kernel,
                                    columns, room - r * columns,
                                    to + r * columns);
  }
}

template <typename T>
void LargestOfSpans(const WorkspaceRows& layout,
                    const std::vector<PoolSpan>& columns, const T* x,
                    int64_t rows, T* to) {
  for (int64_t r = 0; r < rows; ++r) {
    const T* row = x + r * layout.pitch;
    for (const PoolSpan& w : columns) {
      T largest = row[w.begin];
      for (int64_t c = w.begin + 1; c < w.end; ++c) {
        if (!(largest > row[c] || largest != largest)) largest = row[c];
      }
      *to++ = largest;
    }
  }
}

// Widths and distances of most networks are known to the compiler.
template <typename T>
void LargestOfGroup(const WorkspaceRows& layout,
                    const std::vector<PoolSpan>& columns, const T* x,
                    int64_t rows, int64_t room, T* to) {
  const auto n = static_cast<int64_t>(columns.size());
  switch (layout.stride) {
    case 1:
      if (layout.kernel == 3) {
        return LargestOfRows<3, 1>(layout, x, rows, n, room, to);
      }
      return LargestOfRows<0, 1>(layout, x, rows, n, room, to);
    case 2:
      if (layout.kernel == 2) {
        return LargestOfRows<2, 2>(layout, x, rows, n, room, to);
      }
      if (layout.kernel == 3) {
        return LargestOfRows<3, 2>(layout, x, rows, n, room, to);
      }
      return LargestOfRows<0, 2>(layout, x, rows, n, room, to);
    default:
      LargestOfSpans(layout, columns, x, rows, to);
  }
}

// Where a row of x fits in less than a vector: its largest elements are taken
// down the rows, then `taps` lanes of that vector for each window.
template <typename T>
class NarrowRows {
 public:
  static constexpr int64_t kLanes = hn::MaxLanes(VectorTag<T>());
  static constexpr int64_t kMaxTaps = 8;

  static bool Fit(const PooledPlanes& call) {
    const std::vector<PoolSpan>& columns = call.windows.columns;
    return call.width < kLanes &&
           static_cast<int64_t>(columns.size()) <= kLanes &&
           Taps(columns) <= kMaxTaps;
  }

  explicit NarrowRows(const PooledPlanes& call)
      : call_(call), columns_(call.windows.columns.size()) {
    const std::vector<PoolSpan>& columns = call.windows.columns;
    taps_ = Taps(columns);
    for (int64_t j = 0; j < taps_; ++j) {
      // The lanes from the width on have the lowest value.
      std::fill_n(lanes_[j], kLanes, call.width);
      for (int64_t c = 0; c < columns_; ++c) {
        const int64_t at = columns[c].begin + j;
        if (at < columns[c].end) lanes_[j][c] = at;
      }
    }
  }

  void Largest(const T* x, const T* end, T* out) const {
    if (taps_ == 2) return LargestOfTaps<2>(x, end, out);
    if (taps_ == 3) return LargestOfTaps<3>(x, end, out);
    LargestOfTaps<0>(x, end, out);
  }

 private:
  using Lane = hwy::MakeSigned<T>;

  static int64_t Taps(const std::vector<PoolSpan>& columns) {
    int64_t taps = 1;
    for (const PoolSpan& w : columns) taps = std::max(taps, w.end - w.begin);
    return taps;
  }

  template <int kTaps>
  void LargestOfTaps(const T* x, const T* end, T* out) const {
    const std::vector<PoolSpan>& rows = call_.windows.rows;
    const int64_t height = static_cast<int64_t>(rows.size());
    // In registers, for all that the stores might change.
    const int64_t width = call_.width, columns = columns_;
    const int64_t plane = call_.height * width;
    const T* out_end = out + call_.planes * height * columns;
    for (int64_t p = 0; p < call_.planes; ++p, x += plane) {
      // Whole vectors reach into the next planes.
      const bool whole = end - x >= plane + kLanes &&
                         out_end - out >= height * columns + kLanes;
      for (const PoolSpan& h : rows) {
        const T* from = x + h.begin * width;
        const int64_t count = h.end - h.begin;
        if (!whole) {
          const auto down = Down<0>(from, count, width, width);
          StoreSome<T>(Across<kTaps>(down), columns, out);
        } else {
          const auto down = count == 3   ? Down<3>(from, 3, width, kLanes)
                            : count == 2 ? Down<2>(from, 2, width, kLanes)
                                         : Down<0>(from, count, width, kLanes);
          hn::StoreU(Across<kTaps>(down), VectorTag<T>(), out);
        }
        out += columns;
      }
    }
  }

  // `readable` elements may be read from the beginning of each row.
  template <int kRows>
  HWY_INLINE Vector<T> Down(const T* x, int64_t rows, int64_t width,
                            int64_t readable) const {
    const int64_t count = kRows > 0 ? kRows : rows;
    auto largest = LoadSome(x, readable, Lowest<T>());
    for (int64_t y = 1; y < count; ++y) {
      largest =
          Larger<T>(largest, LoadSome(x + y * width, readable, Lowest<T>()));
    }
    const VectorTag<T> d;
    return hn::IfThenElse(hn::FirstN(d, width), largest,
                          hn::Set(d, Lowest<T>()));
  }

  template <int kTaps>
  HWY_INLINE Vector<T> Across(Vector<T> v) const {
    const VectorTag<T> d;
    const int64_t taps = kTaps > 0 ? kTaps : taps_;
    auto largest = hn::TableLookupLanes(v, hn::SetTableIndices(d, lanes_[0]));
    for (int64_t j = 1; j < taps; ++j) {
      largest = Larger<T>(
          largest, hn::TableLookupLanes(v, hn::SetTableIndices(d, lanes_[j])));
    }
    return largest;
  }

  const PooledPlanes& call_;
  int64_t columns_, taps_;
  Lane lanes_[kMaxTaps][kLanes];
};

// Rows of out in groups that workspace has room for: a row's vectors write
// beyond its end, which the next row then makes good.
template <typename T>
void Largest(const PooledPlanes& call, const T* x, const T* end, T* workspace,
             T* out) {
  if constexpr (std::is_floating_point_v<T>) {
    if (NarrowRows<T>::Fit(call))
      return NarrowRows<T>(call).Largest(x, end, out);
  }
  const std::vector<PoolSpan>& spans = call.windows.rows;
  const std::vector<PoolSpan>& columns = call.windows.columns;
  const WorkspaceRows layout(call.windows, call.width);
  std::fill_n(workspace, layout.elements(), Lowest<T>());
  const auto height = static_cast<int64_t>(spans.size());
  const auto width = static_cast<int64_t>(columns.size());
  const int64_t total = call.planes * height;
  int64_t oh = 0;
  for (int64_t r = 0; r < total; r += layout.rows) {
    const int64_t rows = std::min(layout.rows, total - r);
    for (int64_t i = 0; i < rows; ++i) {
      const PoolSpan& h = spans[oh];
      const T* from = x + h.begin * call.width;
      T* to = workspace + i * layout.pitch + layout.before;
      const int64_t count = h.end - h.begin;
      if (count == 3) {
        LargestDown<3>(from, 3, call.width, layout.used, end, to);
      } else if (count == 2) {
        LargestDown<2>(from, 2, call.width, layout.used, end, to);
      } else {
        LargestDown<0>(from, count, call.width, layout.used, end, to);
      }
      if (++oh == height) {
        oh = 0;
        x += call.height * call.width;
      }
    }
    LargestOfGroup(layout, columns, workspace, rows, (total - r) * width,
                   out + r * width);
  }
}

void LargestFloat(const PooledPlanes& call, const float* x, const float* end,
                  float* workspace, float* out) {
  Largest(call, x, end, workspace, out);
}
void LargestDouble(const PooledPlanes& call, const double* x, const double* end,
                   double* workspace, double* out) {
  Largest(call, x, end, workspace, out);
}
void LargestInt8(const PooledPlanes& call, const int8_t* x, const int8_t* end,
                 int8_t* workspace, int8_t* out) {
  Largest(call, x, end, workspace, out);
}
void LargestUint8(const PooledPlanes& call, const uint8_t* x,
                  const uint8_t* end, uint8_t* workspace, uint8_t* out) {
  Largest(call, x, end, workspace, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace switchyard::phi::kernels::cpu {
namespace {
HWY_EXPORT(LargestFloat);
HWY_EXPORT(LargestDouble);
HWY_EXPORT(LargestInt8);
HWY_EXPORT(LargestUint8);
}  // namespace

int64_t PlanesWorkspace(const PoolWindows& windows, int64_t width) {
  return WorkspaceRows(windows, width).elements();
}

void LargestOfPlanes(const PooledPlanes& call, const float* x, const float* end,
                     float* workspace, float* out) {
  HWY_DYNAMIC_DISPATCH(LargestFloat)(call, x, end, workspace, out);
}
void LargestOfPlanes(const PooledPlanes& call, const double* x,
                     const double* end, double* workspace, double* out) {
  HWY_DYNAMIC_DISPATCH(LargestDouble)(call, x, end, workspace, out);
}
void LargestOfPlanes(const PooledPlanes& call, const int8_t* x,
                     const int8_t* end, int8_t* workspace, int8_t* out) {
  HWY_DYNAMIC_DISPATCH(LargestInt8)(call, x, end, workspace, out);
}
void LargestOfPlanes(const PooledPlanes& call, const uint8_t* x,
                     const uint8_t* end, uint8_t* workspace, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(LargestUint8)(call, x, end, workspace, out);
}

}  // namespace switchyard::phi::kernels::cpu
#endif  // HWY_ONCE
