// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/pooling/pool_pixels.h"

#include <type_traits>

// Compiled once for each instruction set: simd_targets.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "phi/kernels/cpu/pooling/pool_pixels.cc"
#include "phi/kernels/cpu/simd/simd_targets.h"
// After it: the header of each instruction set.
#include "phi/kernels/cpu/simd/vector_tails-inl.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

// The larger one; NaN if one of them is: x86's Max is `b` then.
template <typename T, class V>
HWY_INLINE V Larger(V a, V b) {
  if constexpr (std::is_floating_point_v<T>) {
    return hn::IfThenElse(hn::IsNaN(a), a, hn::Max(a, b));
  } else {
    return hn::Max(a, b);
  }
}

// How windows are read and written: as many as a vector has, or what is
// left of them,
template <typename T>
struct SomeChannels {
  using Tag = VectorTag<T>;
  static HWY_INLINE hn::Vec<Tag> Load(const T* from, int64_t rest) {
    return LoadSome(from, rest, T{0});
  }
  static HWY_INLINE void Store(hn::Vec<Tag> v, int64_t rest, T* to) {
    StoreSome<T>(v, rest, to);
  }
};
// or those of a block of 8, than which a vector may be longer.
template <typename T>
struct BlockOfChannels {
  using Tag = hn::CappedTag<T, 8>;
  static HWY_INLINE hn::Vec<Tag> Load(const T* from, int64_t) {
    return hn::LoadU(Tag(), from);
  }
  static HWY_INLINE void Store(hn::Vec<Tag> v, int64_t, T* to) {
    hn::StoreU(v, Tag(), to);
  }
};

// Down each column of a window, then from column to column, as in planes.
template <typename T, class Channels>
void Largest(const PixelRow<T>& row) {
  constexpr int64_t kLanes = hn::MaxLanes(typename Channels::Tag());
  const int64_t pitch = row.width * row.channels;
  const T* const top = row.image + row.rows.begin * pitch;
  const int64_t height = row.rows.end - row.rows.begin;
  T* out = row.out;
  for (const PoolSpan& w : row.windows.columns) {
    for (int64_t c = 0; c < row.channels; c += kLanes) {
      const int64_t rest = row.channels - c;
      const auto down = [&](int64_t column) HWY_ATTR {
        const T* from = top + column * row.channels + c;
        auto largest = Channels::Load(from, rest);
        for (int64_t y = 1; y < height; ++y) {
          from += pitch;
          largest = Larger<T>(largest, Channels::Load(from, rest));
        }
        return largest;
      };
      auto largest = down(w.begin);
      for (int64_t x = w.begin + 1; x < w.end; ++x) {
        largest = Larger<T>(largest, down(x));
      }
      Channels::Store(largest, rest, out + c);
    }
    out += row.channels;
  }
}

template <typename T, class Channels>
void Mean(const PixelRow<T>& row) {
  const typename Channels::Tag d;
  constexpr int64_t kLanes = hn::MaxLanes(typename Channels::Tag());
  const int64_t pitch = row.width * row.channels;
  T* out = row.out;
  for (const PoolSpan& w : row.windows.columns) {
    const auto count =
        hn::Set(d, static_cast<T>(row.windows.Count(row.rows, w)));
    for (int64_t c = 0; c < row.channels; c += kLanes) {
      const int64_t rest = row.channels - c;
      const auto load = [&](int64_t y, int64_t x) HWY_ATTR {
        return Channels::Load(row.image + y * pitch + x * row.channels + c,
                              rest);
      };
      auto sum = hn::Zero(d);
      int64_t y = row.rows.begin;
      // Rows are sums of their own: four at once wait less for each other.
      for (; y + 4 <= row.rows.end; y += 4) {
        auto a = hn::Zero(d), b = a, e = a, f = a;
        for (int64_t x = w.begin; x < w.end; ++x) {
          a = hn::Add(a, load(y, x));
          b = hn::Add(b, load(y + 1, x));
          e = hn::Add(e, load(y + 2, x));
          f = hn::Add(f, load(y + 3, x));
        }
        sum = hn::Add(hn::Add(hn::Add(hn::Add(sum, a), b), e), f);
      }
      for (; y < row.rows.end; ++y) {
        auto a = hn::Zero(d);
        for (int64_t x = w.begin; x < w.end; ++x) a = hn::Add(a, load(y, x));
        sum = hn::Add(sum, a);
      }
      Channels::Store(hn::Div(sum, count), rest, out + c);
    }
    out += row.channels;
  }
}

template <typename T>
void MeanOfRow(const PixelRow<T>& row) {
  if (row.channels == 8) return Mean<T, BlockOfChannels<T>>(row);
  Mean<T, SomeChannels<T>>(row);
}

template <typename T>
void LargestOfRow(const PixelRow<T>& row) {
  if (row.channels == 8) return Largest<T, BlockOfChannels<T>>(row);
  Largest<T, SomeChannels<T>>(row);
}

void LargestFloat(const PixelRow<float>& row) { LargestOfRow(row); }
void LargestDouble(const PixelRow<double>& row) { LargestOfRow(row); }
void LargestInt8(const PixelRow<int8_t>& row) { LargestOfRow(row); }
void LargestUint8(const PixelRow<uint8_t>& row) { LargestOfRow(row); }
void MeanFloat(const PixelRow<float>& row) { MeanOfRow(row); }
void MeanDouble(const PixelRow<double>& row) { MeanOfRow(row); }

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
HWY_EXPORT(MeanFloat);
HWY_EXPORT(MeanDouble);
}  // namespace

void LargestOfPixels(const PixelRow<float>& row) {
  HWY_DYNAMIC_DISPATCH(LargestFloat)(row);
}
void LargestOfPixels(const PixelRow<double>& row) {
  HWY_DYNAMIC_DISPATCH(LargestDouble)(row);
}
void LargestOfPixels(const PixelRow<int8_t>& row) {
  HWY_DYNAMIC_DISPATCH(LargestInt8)(row);
}
void LargestOfPixels(const PixelRow<uint8_t>& row) {
  HWY_DYNAMIC_DISPATCH(LargestUint8)(row);
}
void MeanOfPixels(const PixelRow<float>& row) {
  HWY_DYNAMIC_DISPATCH(MeanFloat)(row);
}
void MeanOfPixels(const PixelRow<double>& row) {
  HWY_DYNAMIC_DISPATCH(MeanDouble)(row);
}

}  // namespace switchyard::phi::kernels::cpu
#endif  // HWY_ONCE
