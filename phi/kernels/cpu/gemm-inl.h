// SPDX-License-Identifier: Apache-2.0
// The inner loops of Gemm (gemm.h) for one instruction set: packing, and a tile
// of out computed in registers. Who calls them in which order is gemm.cc.
#include "phi/kernels/cpu/simd_targets.h"

// Read once for each instruction set.
#if defined(SWITCHYARD_PHI_KERNELS_CPU_GEMM_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_CPU_GEMM_INL_H_
#undef SWITCHYARD_PHI_KERNELS_CPU_GEMM_INL_H_
#else
#define SWITCHYARD_PHI_KERNELS_CPU_GEMM_INL_H_
#endif

#include <algorithm>

#include "hwy/cache_control.h"
#include "phi/kernels/cpu/gemm.h"
#include "phi/kernels/cpu/gemm_tile.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
using GemmTag = hn::ScalableTag<T>;
template <typename T>
using GemmVec = hn::Vec<GemmTag<T>>;

// Columns of a tile: two vectors.
template <typename T>
constexpr int64_t kGemmColumns = 2 * hn::MaxLanes(GemmTag<T>());
// Rows of a tile: as many as the registers hold. Six rows are read where they
// lie as fast as packed; twelve pointers to rows don't fit in the registers.
#if HWY_TARGET == HWY_AVX3
constexpr int64_t kGemmRows = 12;
constexpr int64_t kGemmPackFromColumns = 256;
#else
constexpr int64_t kGemmRows = 6;
constexpr int64_t kGemmPackFromColumns = INT64_MAX;
#endif

// The sums of kRows rows of a tile. One member a vector, and no array: arrays
// of vectors live in memory unless the compiler happens to unroll every loop.
template <int kRows, typename T>
struct TileSums {
  GemmVec<T> low, high;
  TileSums<kRows - 1, T> below;

  HWY_INLINE void Clear() {
    low = high = hn::Zero(GemmTag<T>());
    below.Clear();
  }
  // Rows follow each other in `a` by row_stride.
  HWY_INLINE void MulAdd(const T* a, int64_t row_stride, GemmVec<T> b0,
                         GemmVec<T> b1) {
    const GemmVec<T> v = hn::Set(GemmTag<T>(), *a);
    low = hn::MulAdd(v, b0, low);
    high = hn::MulAdd(v, b1, high);
    below.MulAdd(a + row_stride, row_stride, b0, b1);
  }
  HWY_INLINE void Store(bool first, T* out, int64_t stride) const {
    const GemmTag<T> d;
    constexpr int64_t kLanes = hn::MaxLanes(GemmTag<T>());
    if (first) {
      hn::StoreU(low, d, out);
      hn::StoreU(high, d, out + kLanes);
    } else {
      hn::StoreU(hn::Add(hn::LoadU(d, out), low), d, out);
      hn::StoreU(hn::Add(hn::LoadU(d, out + kLanes), high), d, out + kLanes);
    }
    below.Store(first, out + stride, stride);
  }
};

template <typename T>
struct TileSums<0, T> {
  HWY_INLINE void Clear() {}
  HWY_INLINE void MulAdd(const T*, int64_t, GemmVec<T>, GemmVec<T>) {}
  HWY_INLINE void Store(bool, T*, int64_t) const {}
};

// Where a tile's operands are. b has rows of a whole tile's columns.
template <typename T>
struct TileOperands {
  const T* a;
  int64_t a_row_stride;
  int64_t a_column_stride;
  const T* b;
  int64_t b_stride;
  int64_t depth;
};

// Where a tile goes: `columns` of them are stored.
template <typename T>
struct TileResult {
  T* out;
  int64_t stride;
  int64_t columns;
  bool first;  // Whether out is set, or added to.
};

// to[0..columns) = or += from.
template <typename T>
HWY_INLINE void StorePart(const T* HWY_RESTRICT from, int64_t columns,
                          bool first, T* HWY_RESTRICT to) {
  if (first) {
    for (int64_t j = 0; j < columns; ++j) to[j] = from[j];
  } else {
    for (int64_t j = 0; j < columns; ++j) to[j] += from[j];
  }
}

// kRows rows of a times b.
template <int kRows, typename T>
HWY_INLINE void MultiplyTile(const TileOperands<T>& operands,
                             const TileResult<T>& result) {
  const GemmTag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(GemmTag<T>());
  // What is added to may have left the first cache meanwhile.
  for (int i = 0; i < kRows; ++i) {
    hwy::Prefetch(result.out + i * result.stride);
  }
  TileSums<kRows, T> sums;
  sums.Clear();
  const T* a = operands.a;
  const T* b = operands.b;
  for (int64_t p = operands.depth; p > 0; --p) {
    sums.MulAdd(a, operands.a_row_stride, hn::LoadU(d, b),
                hn::LoadU(d, b + kLanes));
    a += operands.a_column_stride;
    b += operands.b_stride;
  }
  if (result.columns == kGemmColumns<T>) {
    sums.Store(result.first, result.out, result.stride);
    return;
  }
  T part[kRows * kGemmColumns<T>];
  sums.Store(true, part, kGemmColumns<T>);
  for (int i = 0; i < kRows; ++i) {
    StorePart(part + i * kGemmColumns<T>, result.columns, result.first,
              result.out + i * result.stride);
  }
}

// A tile of fewer rows than the registers hold: at most two steps.
template <typename T>
HWY_NOINLINE void MultiplyRest(TileOperands<T> operands, int64_t rows,
                               TileResult<T> result) {
  if (kGemmRows > 6 && rows >= 6) {
    MultiplyTile<6>(operands, result);
    operands.a += 6 * operands.a_row_stride;
    result.out += 6 * result.stride;
    rows -= 6;
  }
  switch (rows) {
    case 1:
      return MultiplyTile<1>(operands, result);
    case 2:
      return MultiplyTile<2>(operands, result);
    case 3:
      return MultiplyTile<3>(operands, result);
    case 4:
      return MultiplyTile<4>(operands, result);
    case 5:
      return MultiplyTile<5>(operands, result);
    default:
      return;
  }
}

// `rows` rows of a: tile after tile, `step` elements apart.
template <typename T>
HWY_INLINE void MultiplyColumn(TileOperands<T> operands, int64_t step,
                               int64_t rows, TileResult<T> result) {
  for (; rows >= kGemmRows; rows -= kGemmRows) {
    MultiplyTile<kGemmRows>(operands, result);
    operands.a += step;
    result.out += kGemmRows * result.stride;
  }
  if (rows > 0) MultiplyRest(operands, rows, result);
}

// Every tile of a task. The strides of packed rows are constants.
template <typename T>
void MultiplyPacked(const GemmTask<T>& task) {
  constexpr int64_t kWidth = kGemmColumns<T>;
  for (int64_t j = 0; j < task.columns; j += kWidth) {
    const T* b = task.b + j * task.depth;
    const TileResult<T> result = {task.out + j, task.out_stride,
                                  std::min(kWidth, task.columns - j),
                                  task.first};
    if (task.a_row_stride == 0) {
      MultiplyColumn<T>({task.a, 1, kGemmRows, b, kWidth, task.depth},
                        kGemmRows * task.depth, task.rows, result);
    } else {
      MultiplyColumn<T>({task.a, task.a_row_stride, 1, b, kWidth, task.depth},
                        kGemmRows * task.a_row_stride, task.rows, result);
    }
  }
}

// Four lanes of four elements, transposed.
HWY_INLINE void Transpose4(const float* from, int64_t lane_stride, float* to,
                           int64_t width) {
  const hn::FixedTag<float, 4> d;
  const hn::Repartition<double, decltype(d)> pairs;
  const auto r0 = hn::LoadU(d, from);
  const auto r1 = hn::LoadU(d, from + lane_stride);
  const auto r2 = hn::LoadU(d, from + 2 * lane_stride);
  const auto r3 = hn::LoadU(d, from + 3 * lane_stride);
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, r0, r1));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, r2, r3));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, r0, r1));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, r2, r3));
  const auto store = [&](auto v, int64_t p) HWY_ATTR {
    hn::StoreU(hn::BitCast(d, v), d, to + p * width);
  };
  store(hn::InterleaveLower(pairs, low01, low23), 0);
  store(hn::InterleaveUpper(pairs, low01, low23), 1);
  store(hn::InterleaveLower(pairs, high01, high23), 2);
  store(hn::InterleaveUpper(pairs, high01, high23), 3);
}

// How many lanes of how many elements PackFours did.
struct PackedFours {
  int64_t lanes;
  int64_t depth;
};

// The first lanes and elements of a strip that Transpose4 fits.
HWY_INLINE PackedFours PackFours(const GemmStrips<float>& strip) {
  const PackedFours done = {strip.lanes / 4 * 4, strip.depth / 4 * 4};
  for (int64_t p = 0; p < done.depth; p += 4) {
    for (int64_t i = 0; i < done.lanes; i += 4) {
      Transpose4(strip.data + i * strip.lane_stride + p, strip.lane_stride,
                 strip.to + p * strip.width + i, strip.width);
    }
  }
  return done;
}
HWY_INLINE PackedFours PackFours(const GemmStrips<double>&) { return {0, 0}; }

// One strip, of at most `width` lanes.
template <typename T>
void PackStrip(const GemmStrips<T>& strip) {
  const int64_t width = strip.width;
  if (strip.lanes < width) std::fill_n(strip.to, strip.depth * width, T{0});
  if (strip.lane_stride == 1 && strip.lanes == width) {
    const GemmTag<T> d;
    constexpr int64_t kLanes = hn::MaxLanes(GemmTag<T>());
    for (int64_t p = 0; p < strip.depth; ++p) {
      const T* from = strip.data + p * strip.depth_stride;
      T* to = strip.to + p * width;
      int64_t i = 0;
      for (; i + kLanes <= width; i += kLanes) {
        hn::StoreU(hn::LoadU(d, from + i), d, to + i);
      }
      for (; i < width; ++i) to[i] = from[i];
    }
    return;
  }
  PackedFours done = {0, 0};
  if (strip.depth_stride == 1) done = PackFours(strip);
  for (int64_t p = 0; p < strip.depth; ++p) {
    const T* from = strip.data + p * strip.depth_stride;
    for (int64_t i = p < done.depth ? done.lanes : 0; i < strip.lanes; ++i) {
      strip.to[p * width + i] = from[i * strip.lane_stride];
    }
  }
}

template <typename T>
void PackStrips(const GemmStrips<T>& strips) {
  GemmStrips<T> strip = strips;
  for (int64_t i = 0; i < strips.lanes; i += strips.width) {
    strip.data = strips.data + i * strips.lane_stride;
    strip.lanes = std::min(strips.width, strips.lanes - i);
    strip.to = strips.to + i * strips.depth;
    PackStrip(strip);
  }
}

// The sums of kVectors vectors of one row; see TileSums.
template <int kVectors, typename T>
struct RowSums {
  GemmVec<T> sum;
  RowSums<kVectors - 1, T> next;

  HWY_INLINE void Clear() {
    sum = hn::Zero(GemmTag<T>());
    next.Clear();
  }
  HWY_INLINE void MulAdd(GemmVec<T> a, const T* b) {
    sum = hn::MulAdd(a, hn::LoadU(GemmTag<T>(), b), sum);
    next.MulAdd(a, b + hn::MaxLanes(GemmTag<T>()));
  }
  HWY_INLINE void Store(bool first, T* out) const {
    const GemmTag<T> d;
    hn::StoreU(first ? sum : hn::Add(hn::LoadU(d, out), sum), d, out);
    next.Store(first, out + hn::MaxLanes(d));
  }
};

template <typename T>
struct RowSums<0, T> {
  HWY_INLINE void Clear() {}
  HWY_INLINE void MulAdd(GemmVec<T>, const T*) {}
  HWY_INLINE void Store(bool, T*) const {}
};

// The first columns of one row of out, eight vectors at a time, since the sums
// of one tile's row would wait for each other; how many columns it did.
template <typename T>
int64_t MultiplyRow(const TileOperands<T>& row, int64_t n, bool first, T* out) {
  constexpr int64_t kWide = 8 * hn::MaxLanes(GemmTag<T>());
  int64_t j = 0;
  for (; j + kWide <= n; j += kWide) {
    RowSums<8, T> sums;
    sums.Clear();
    const T* b = row.b + j;
    for (int64_t p = 0; p < row.depth; ++p) {
      sums.MulAdd(hn::Set(GemmTag<T>(), row.a[p * row.a_column_stride]), b);
      b += row.b_stride;
    }
    sums.Store(first, out + j);
  }
  return j;
}

// All of a local product. Packing a strip pays where several tiles use it.
template <typename T>
void MultiplyLocal(const GemmLocal<T>& local) {
  constexpr int64_t kWidth = kGemmColumns<T>;
  const GemmOperand<T>& a = local.product.a;
  const GemmOperand<T>& b = local.product.b;
  HWY_ALIGN T strip[kGemmDepth * kWidth];
  for (int64_t begin = 0; begin < local.k;) {
    const int64_t depth = GemmBlockDepth(local.k, begin);
    const T* from = b.data + begin * b.row_stride;
    TileOperands<T> tile = {a.data + begin * a.column_stride,
                            a.row_stride,
                            a.column_stride,
                            from,
                            b.row_stride,
                            depth};
    int64_t j = 0;
    if (local.m == 1 && b.column_stride == 1) {
      j = MultiplyRow(tile, local.n, begin == 0, local.product.out);
    }
    for (; j < local.n; j += kWidth) {
      const int64_t columns = std::min(kWidth, local.n - j);
      tile.b = from + j * b.column_stride;
      tile.b_stride = b.row_stride;
      if (b.column_stride != 1 || columns < kWidth || local.m > 2 * kGemmRows) {
        PackStrip<T>({tile.b, b.column_stride, b.row_stride, columns, depth,
                      kWidth, strip});
        tile.b = strip;
        tile.b_stride = kWidth;
      }
      const TileResult<T> result = {local.product.out + j, local.out_stride,
                                    columns, begin == 0};
      if (a.column_stride == 1) {
        tile.a_column_stride = 1;  // A constant is worth a loop of its own.
        MultiplyColumn(tile, kGemmRows * a.row_stride, local.m, result);
      } else if (a.row_stride == 1) {
        tile.a_row_stride = 1;
        MultiplyColumn(tile, kGemmRows, local.m, result);
      } else {
        MultiplyColumn(tile, kGemmRows * a.row_stride, local.m, result);
      }
    }
    begin += depth;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels
HWY_AFTER_NAMESPACE();

#endif  // per target
