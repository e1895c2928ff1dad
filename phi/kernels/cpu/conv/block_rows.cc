// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/conv/block_rows.h"

#include <algorithm>

#include "phi/kernels/cpu/gemm/gemm_tile.h"

// Compiled once for each instruction set: simd_targets.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "phi/kernels/cpu/conv/block_rows.cc"
#include "phi/kernels/cpu/simd/simd_targets.h"
// After it: the header of each instruction set.
#include "phi/kernels/cpu/simd/vector_tails-inl.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

// A block is a vector, or several.
template <typename T, int kBlock>
using BlockTag = hn::CappedTag<T, kBlock>;

// kPixels results from `x` on, each tap of which is `step` elements after that
// of the one before: from(kh, kw) is the first one's.
template <int kPixels, int kBlock, typename T, class From>
HWY_INLINE void DepthwiseTile(const DepthwiseRow<T>& row, int64_t step,
                              const From& from, T* out) {
  const BlockTag<T, kBlock> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  using V = hn::Vec<BlockTag<T, kBlock>>;
  const int64_t height = row.kernel_height, width = row.width.kernel;
  for (int64_t lane = 0; lane < kBlock; lane += kLanes) {
    V sum[kPixels];
#pragma GCC unroll 8
    for (int i = 0; i < kPixels; ++i) sum[i] = hn::Zero(d);
    const auto tap = [&](int64_t kh, int64_t kw) HWY_ATTR {
      const V w = hn::LoadU(d, row.filter + (kh * width + kw) * kBlock + lane);
      const T* x = from(kh, kw) + lane;
#pragma GCC unroll 8
      for (int i = 0; i < kPixels; ++i) {
        sum[i] = hn::MulAdd(w, hn::LoadU(d, x + i * step), sum[i]);
      }
    };
    if (row.columns_first) {
      for (int64_t kw = 0; kw < width; ++kw) {
        for (int64_t kh = 0; kh < height; ++kh) tap(kh, kw);
      }
    } else {
      for (int64_t kh = 0; kh < height; ++kh) {
        for (int64_t kw = 0; kw < width; ++kw) tap(kh, kw);
      }
    }
#pragma GCC unroll 8
    for (int i = 0; i < kPixels; ++i) {
      hn::StoreU(sum[i], d, out + i * kBlock + lane);
    }
  }
}

template <int kBlock, typename T>
void Depthwise(const DepthwiseRow<T>& row) {
  constexpr int kPixels = 6;
  const WindowAxis& w = row.width;
  // One result at an edge: beside the rows are zeros.
  const auto edge = [&](int64_t x) HWY_ATTR {
    DepthwiseTile<1, kBlock>(
        row, 0,
        [&](int64_t kh, int64_t kw) {
          const int64_t at = x * w.stride + kw * w.dilation - w.before;
          return at >= 0 && at < w.input ? row.rows[kh] + at * kBlock
                                         : row.zeros;
        },
        row.out + x * kBlock);
  };
  for (int64_t x = 0; x < row.first; ++x) edge(x);
  const bool tiles = row.last - row.first >= kPixels;
  for (int64_t next = row.first; next < row.last; next += kPixels) {
    if (!tiles) {
      for (int64_t x = next; x < row.last; ++x) edge(x);
      break;
    }
    // The last results are made together with some before them, once more.
    const int64_t x = std::min(next, row.last - kPixels);
    const int64_t at = x * w.stride - w.before;
    DepthwiseTile<kPixels, kBlock>(
        row, w.stride * kBlock,
        [&](int64_t kh, int64_t kw) {
          return row.rows[kh] + (at + kw * w.dilation) * kBlock;
        },
        row.out + x * kBlock);
  }
  for (int64_t x = row.last; x < w.output; ++x) edge(x);
}

// kPixels pixels of kVectors vectors of output channels, which are `apart`
// elements apart in the filter and `out_apart` in the results. Sums run as in
// Gemm (gemm.h): block of depth after block of depth.
template <int kPixels, int kVectors, int kBlock, typename T>
HWY_INLINE void PointwiseTile(const PointwisePixels<T>& p, const T* input,
                              const T* const* filters, T* const* outs) {
  const BlockTag<T, kBlock> d;
  using V = hn::Vec<BlockTag<T, kBlock>>;
  for (int64_t begin = 0; begin < p.in_channels;) {
    const int64_t end = begin + GemmBlockDepth(p.in_channels, begin);
    V sum[kVectors][kPixels];
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
#pragma GCC unroll 16
      for (int i = 0; i < kPixels; ++i) sum[v][i] = hn::Zero(d);
    }
    for (int64_t c = begin; c < end;) {
      const int64_t stop = std::min(end, (c / kBlock + 1) * kBlock);
      const T* x = input + c / kBlock * p.plane * kBlock + c % kBlock;
      for (; c < stop; ++c, ++x) {
        V w[kVectors];
#pragma GCC unroll 8
        for (int v = 0; v < kVectors; ++v) {
          w[v] = hn::LoadU(d, filters[v] + c * kBlock);
        }
#pragma GCC unroll 16
        for (int i = 0; i < kPixels; ++i) {
          const V value = hn::Set(d, x[i * kBlock]);
#pragma GCC unroll 8
          for (int v = 0; v < kVectors; ++v) {
            sum[v][i] = hn::MulAdd(value, w[v], sum[v][i]);
          }
        }
      }
    }
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
#pragma GCC unroll 16
      for (int i = 0; i < kPixels; ++i) {
        T* const to = outs[v] + i * kBlock;
        const V all =
            begin == 0 ? sum[v][i] : hn::Add(hn::LoadU(d, to), sum[v][i]);
        hn::StoreU(all, d, to);
      }
    }
    begin = end;
  }
}

template <int kVectors, int kBlock, typename T>
void PointwiseColumn(const PointwisePixels<T>& p, int64_t vector) {
#if HWY_TARGET == HWY_AVX3
  constexpr int kPixels = 12;
#else
  constexpr int kPixels = 6;
#endif
  constexpr int64_t kLanes = hn::MaxLanes(BlockTag<T, kBlock>());
  const int64_t depth = (p.in_channels + kBlock - 1) / kBlock * kBlock;
  const T* filters[kVectors];
  T* first[kVectors];
  for (int v = 0; v < kVectors; ++v) {
    const int64_t lane = (vector + v) * kLanes;
    filters[v] = p.filter + lane / kBlock * depth * kBlock + lane % kBlock;
    first[v] = p.out + lane / kBlock * p.plane * kBlock + lane % kBlock;
  }
  const auto run = [&](auto count, int64_t pixel) HWY_ATTR {
    T* outs[kVectors];
    for (int v = 0; v < kVectors; ++v) outs[v] = first[v] + pixel * kBlock;
    PointwiseTile<decltype(count)::value, kVectors, kBlock>(
        p, p.input + pixel * kBlock, filters, outs);
  };
  if (p.pixels < kPixels) {
    for (int64_t i = 0; i < p.pixels; ++i) {
      run(std::integral_constant<int, 1>(), i);
    }
    return;
  }
  // The last pixels are made together with some before them, once more.
  for (int64_t i = 0; i < p.pixels; i += kPixels) {
    run(std::integral_constant<int, kPixels>(),
        std::min(i, p.pixels - kPixels));
  }
}

template <int kBlock, typename T>
void Pointwise(const PointwisePixels<T>& p) {
  constexpr int64_t kLanes = hn::MaxLanes(BlockTag<T, kBlock>());
  const int64_t blocks = (p.out_channels + kBlock - 1) / kBlock;
  const int64_t vectors = blocks * kBlock / kLanes;
  int64_t v = 0;
  for (; v + 2 <= vectors; v += 2) PointwiseColumn<2, kBlock>(p, v);
  if (v < vectors) PointwiseColumn<1, kBlock>(p, v);
  // Zeros times infinity are none.
  const int64_t used = p.out_channels % kBlock;
  if (used == 0) return;
  T* to = p.out + (blocks - 1) * p.plane * kBlock;
  for (int64_t i = 0; i < p.pixels; ++i, to += kBlock) {
    std::fill(to + used, to + kBlock, T{0});
  }
}

void DepthwiseFloat(const DepthwiseRow<float>& row) {
  row.block == 8 ? Depthwise<8>(row) : Depthwise<16>(row);
}
void DepthwiseDouble(const DepthwiseRow<double>& row) {
  row.block == 8 ? Depthwise<8>(row) : Depthwise<16>(row);
}
void PointwiseFloat(const PointwisePixels<float>& pixels) {
  pixels.block == 8 ? Pointwise<8>(pixels) : Pointwise<16>(pixels);
}
void PointwiseDouble(const PointwisePixels<double>& pixels) {
  pixels.block == 8 ? Pointwise<8>(pixels) : Pointwise<16>(pixels);
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace switchyard::phi::kernels::cpu {
namespace {
HWY_EXPORT(DepthwiseFloat);
HWY_EXPORT(DepthwiseDouble);
HWY_EXPORT(PointwiseFloat);
HWY_EXPORT(PointwiseDouble);
}  // namespace

template <>
void RunDepthwiseRow<float>(const DepthwiseRow<float>& row) {
  HWY_DYNAMIC_DISPATCH(DepthwiseFloat)(row);
}
template <>
void RunDepthwiseRow<double>(const DepthwiseRow<double>& row) {
  HWY_DYNAMIC_DISPATCH(DepthwiseDouble)(row);
}
template <>
void RunPointwise<float>(const PointwisePixels<float>& pixels) {
  HWY_DYNAMIC_DISPATCH(PointwiseFloat)(pixels);
}
template <>
void RunPointwise<double>(const PointwisePixels<double>& pixels) {
  HWY_DYNAMIC_DISPATCH(PointwiseDouble)(pixels);
}

}  // namespace switchyard::phi::kernels::cpu
#endif  // HWY_ONCE
