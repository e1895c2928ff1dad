// SPDX-License-Identifier: Apache-2.0
// The loops of conv_rows.h, for one instruction set: tiles of output channels
// by vectors (or taps) whose sums stay in registers.
#include "phi/kernels/cpu/simd/simd_targets.h"

// Read once for each instruction set.
#if defined(SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_ROWS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_ROWS_INL_H_
#undef SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_ROWS_INL_H_
#else
#define SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_ROWS_INL_H_
#endif

#include "phi/kernels/cpu/conv/conv_rows.h"
#include "phi/kernels/cpu/simd/vector_tails-inl.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

// Output channels of a tile at most, and its vectors by its channels: as many
// as the registers hold.
#if HWY_TARGET == HWY_AVX3
constexpr int kConvChannels = 6;
constexpr int kConvVectors[] = {0, 8, 8, 6, 6, 4, 4};
#else
constexpr int kConvChannels = 4;
constexpr int kConvVectors[] = {0, 8, 5, 4, 3};
#endif

// One tile: kRows channels by the first `vectors` of kVectors.
template <int kRows, int kVectors, typename T>
HWY_INLINE void ConvTile(const ConvRows<T>& rows, const T* packed,
                         const RowVector* vectors, int64_t count, T* out) {
  const VectorTag<T> d;
  using V = hn::Vec<VectorTag<T>>;
  V sum[kRows][kVectors];
  const T* from[kVectors];
#pragma GCC unroll 8
  for (int j = 0; j < kVectors; ++j) {
    // Those that are not there repeat the first.
    from[j] = rows.image + vectors[j < count ? j : 0].image;
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) sum[i][j] = hn::Zero(d);
  }
  const int64_t taps = static_cast<int64_t>(rows.offsets.size());
  const int64_t* const offsets = rows.offsets.data();
  for (int64_t t = 0; t < taps; ++t, packed += kRows) {
    const int64_t offset = offsets[t];
    // The smaller of the two sets stays in registers, the other passes through
    // one.
    if constexpr (kRows < kVectors) {
      V w[kRows];
#pragma GCC unroll 8
      for (int i = 0; i < kRows; ++i) w[i] = hn::Set(d, packed[i]);
#pragma GCC unroll 8
      for (int j = 0; j < kVectors; ++j) {
        const V x = hn::LoadU(d, from[j] + offset);
#pragma GCC unroll 8
        for (int i = 0; i < kRows; ++i) {
          sum[i][j] = hn::MulAdd(w[i], x, sum[i][j]);
        }
      }
    } else {
      V x[kVectors];
#pragma GCC unroll 8
      for (int j = 0; j < kVectors; ++j) x[j] = hn::LoadU(d, from[j] + offset);
#pragma GCC unroll 8
      for (int i = 0; i < kRows; ++i) {
        const V w = hn::Set(d, packed[i]);
#pragma GCC unroll 8
        for (int j = 0; j < kVectors; ++j) {
          sum[i][j] = hn::MulAdd(w, x[j], sum[i][j]);
        }
      }
    }
  }
#pragma GCC unroll 8
  for (int j = 0; j < kVectors; ++j) {
    if (j >= count) break;
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
      StoreSome(sum[i][j], vectors[j].count,
                out + i * rows.plane + vectors[j].result);
    }
  }
}

// Channels are cut into blocks of kRows, then of kRows - 1, so that no block is
// much smaller than the others.
struct ChannelBlocks {
  int rows;
  int64_t whole;  // Blocks of `rows`.
  int64_t less;   // Blocks of one row less, after them.

  explicit ChannelBlocks(int64_t channels) {
    const int64_t blocks = (channels + kConvChannels - 1) / kConvChannels;
    rows = static_cast<int>((channels + blocks - 1) / blocks);
    less = rows * blocks - channels;
    whole = blocks - less;
  }
};

template <int kRows, typename T>
void ConvTiles(const ConvRows<T>& rows, const ChannelBlocks& blocks,
               const T* packed) {
  constexpr int kVectors = kConvVectors[kRows];
  constexpr int kFewer = kRows > 1 ? kRows - 1 : 1;
  const int64_t taps = static_cast<int64_t>(rows.offsets.size());
  const int64_t total = static_cast<int64_t>(rows.vectors.size());
  for (int64_t v = 0; v < total; v += kVectors) {
    const RowVector* vectors = rows.vectors.data() + v;
    const int64_t count = std::min<int64_t>(kVectors, total - v);
    const T* filter = packed;
    T* out = rows.out;
    for (int64_t b = 0; b < blocks.whole; ++b) {
      ConvTile<kRows, kVectors>(rows, filter, vectors, count, out);
      filter += kRows * taps;
      out += kRows * rows.plane;
    }
    for (int64_t b = 0; b < blocks.less; ++b) {
      ConvTile<kFewer, kVectors>(rows, filter, vectors, count, out);
      filter += kFewer * taps;
      out += kFewer * rows.plane;
    }
  }
}

template <typename T>
void RowsOf(const ConvRows<T>& rows, const T* packed) {
  const ChannelBlocks blocks(rows.channels);
  switch (blocks.rows) {
    case 1:
      return ConvTiles<1>(rows, blocks, packed);
    case 2:
      return ConvTiles<2>(rows, blocks, packed);
    case 3:
      return ConvTiles<3>(rows, blocks, packed);
    case 4:
      return ConvTiles<4>(rows, blocks, packed);
#if HWY_TARGET == HWY_AVX3
    case 5:
      return ConvTiles<5>(rows, blocks, packed);
    case 6:
      return ConvTiles<6>(rows, blocks, packed);
#endif
  }
}

template <typename T>
void SplitPairsOf(const T* from, int64_t count, T* even, T* odd) {
  const VectorTag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(VectorTag<T>());
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const auto low = hn::LoadU(d, from + 2 * i);
    const auto high = hn::LoadU(d, from + 2 * i + kLanes);
    hn::StoreU(hn::ConcatEven(d, high, low), d, even + i);
    hn::StoreU(hn::ConcatOdd(d, high, low), d, odd + i);
  }
  for (; i < count; ++i) {
    even[i] = from[2 * i];
    odd[i] = from[2 * i + 1];
  }
}

// A vector of kRows adjacent rows of a plane's results: of each column of the
// filter, an element of the image is read once for all rows that see it.
template <int kKernel, int kRows, typename T>
HWY_INLINE void PlaneTile(const ConvPlane<T>& plane, const T* image,
                          int64_t count, T* out) {
  const VectorTag<T> d;
  using V = hn::Vec<VectorTag<T>>;
  V sum[kRows];
#pragma GCC unroll 8
  for (int y = 0; y < kRows; ++y) sum[y] = hn::Zero(d);
  for (int64_t kw = 0; kw < plane.kernel_width; ++kw) {
    V w[kKernel];
#pragma GCC unroll 8
    for (int kh = 0; kh < kKernel; ++kh) {
      w[kh] = hn::Set(d, plane.filter[kh * plane.kernel_width + kw]);
    }
    const T* from = image + kw;
#pragma GCC unroll 16
    for (int r = 0; r < kRows + kKernel - 1; ++r) {
      const V x = hn::LoadU(d, from);
      from += plane.image_row;
#pragma GCC unroll 8
      for (int kh = 0; kh < kKernel; ++kh) {
        const int y = r - kh;
        if (y >= 0 && y < kRows) sum[y] = hn::MulAdd(w[kh], x, sum[y]);
      }
    }
  }
  // Whole vectors: what is too much of a row is the next one's, stored after
  // it.
#pragma GCC unroll 8
  for (int y = 0; y + 1 < kRows; ++y) {
    hn::StoreU(sum[y], d, out + y * plane.columns);
  }
  StoreSome(sum[kRows - 1], count, out + (kRows - 1) * plane.columns);
}

// The last rows, or columns, are made together with some before them, once
// more, where there are enough.
template <int kKernel, int kRows, typename T>
void PlaneTiles(const ConvPlane<T>& plane) {
  constexpr int64_t kLanes = hn::MaxLanes(VectorTag<T>());
  for (int64_t row = 0; row < plane.rows; row += kRows) {
    const int64_t y = std::min(row, plane.rows - kRows);
    for (int64_t column = 0; column < plane.columns; column += kLanes) {
      const int64_t x =
          std::max<int64_t>(0, std::min(column, plane.columns - kLanes));
      PlaneTile<kKernel, kRows>(plane, plane.image + y * plane.image_row + x,
                                plane.columns,
                                plane.out + y * plane.columns + x);
    }
  }
}

template <int kKernel, typename T>
void PlaneOf(const ConvPlane<T>& plane) {
  if (plane.rows >= 8) return PlaneTiles<kKernel, 8>(plane);
  if (plane.rows >= 4) return PlaneTiles<kKernel, 4>(plane);
  return PlaneTiles<kKernel, 1>(plane);
}

template <typename T>
void AnyPlaneOf(const ConvPlane<T>& plane) {
  switch (plane.kernel_height) {
    case 3:
      return PlaneOf<3>(plane);
    case 5:
      return PlaneOf<5>(plane);
    case 7:
      return PlaneOf<7>(plane);
  }
}

// The filter as the tiles read it: a block's channels side by side, tap by tap.
template <typename T>
void PackOf(const T* filter, int64_t channels, int64_t taps, T* packed) {
  const ChannelBlocks blocks(channels);
  for (int64_t b = 0; b < blocks.whole + blocks.less; ++b) {
    const int64_t rows = blocks.rows - (b < blocks.whole ? 0 : 1);
    for (int64_t t = 0; t < taps; ++t) {
      for (int64_t i = 0; i < rows; ++i) *packed++ = filter[i * taps + t];
    }
    filter += rows * taps;
  }
}

// Sums of kRows channels by kTaps taps over all vectors.
template <int kRows, int kTaps, typename T>
HWY_INLINE void FilterTile(const ConvFilterRows<T>& rows, int64_t channel,
                           int64_t tap, T* sums) {
  const VectorTag<T> d;
  using V = hn::Vec<VectorTag<T>>;
  V sum[kRows][kTaps];
  const T* grad = rows.grad + channel * rows.plane;
  const T* from[kTaps];
#pragma GCC unroll 8
  for (int j = 0; j < kTaps; ++j) {
    from[j] = rows.image + rows.offsets[tap + j];
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) sum[i][j] = hn::Zero(d);
  }
  for (const RowVector& vector : rows.vectors) {
    V x[kTaps];
#pragma GCC unroll 8
    for (int j = 0; j < kTaps; ++j) {
      x[j] = hn::LoadU(d, from[j] + vector.image);
    }
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
      const V g = hn::LoadU(d, grad + i * rows.plane + vector.result);
#pragma GCC unroll 8
      for (int j = 0; j < kTaps; ++j) {
        sum[i][j] = hn::MulAdd(g, x[j], sum[i][j]);
      }
    }
  }
  const int64_t taps = static_cast<int64_t>(rows.offsets.size());
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
    for (int j = 0; j < kTaps; ++j) {
      sums[(channel + i) * taps + tap + j] +=
          hn::GetLane(hn::SumOfLanes(d, sum[i][j]));
    }
  }
}

#if HWY_TARGET == HWY_AVX3
constexpr int kFilterTileRows = 4;
constexpr int kFilterTileTaps = 6;
#else
constexpr int kFilterTileRows = 3;
constexpr int kFilterTileTaps = 3;
#endif

template <int kRows, typename T>
void FilterTiles(const ConvFilterRows<T>& rows, int64_t channel, T* sums) {
  // A single channel leaves registers for more taps.
  constexpr int kTaps = kRows == 1 ? 8 : kFilterTileTaps;
  const int64_t taps = static_cast<int64_t>(rows.offsets.size());
  int64_t t = 0;
  for (; t + kTaps <= taps; t += kTaps) {
    FilterTile<kRows, kTaps>(rows, channel, t, sums);
  }
  for (; t + 3 <= taps; t += 3) FilterTile<kRows, 3>(rows, channel, t, sums);
  for (; t < taps; ++t) FilterTile<kRows, 1>(rows, channel, t, sums);
}

template <typename T>
void AddFilterOf(const ConvFilterRows<T>& rows, T* sums) {
  int64_t c = 0;
  for (; c + kFilterTileRows <= rows.channels; c += kFilterTileRows) {
    FilterTiles<kFilterTileRows>(rows, c, sums);
  }
  for (; c < rows.channels; ++c) FilterTiles<1>(rows, c, sums);
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels::cpu
HWY_AFTER_NAMESPACE();

#endif  // per target
