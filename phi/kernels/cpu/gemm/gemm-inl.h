// SPDX-License-Identifier: Apache-2.0
// The inner loops of Gemm (gemm.h) for one instruction set: a tile of out
// computed in registers, and the tiles of a task. Packing is gemm_pack-inl.h's,
// products that are not packed first are gemm_local-inl.h's; gemm.cc calls
// them.
#include "phi/kernels/cpu/simd/simd_targets.h"

// Read once for each instruction set.
#if defined(SWITCHYARD_PHI_KERNELS_CPU_GEMM_GEMM_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_CPU_GEMM_GEMM_INL_H_
#undef SWITCHYARD_PHI_KERNELS_CPU_GEMM_GEMM_INL_H_
#else
#define SWITCHYARD_PHI_KERNELS_CPU_GEMM_GEMM_INL_H_
#endif

#include <algorithm>

#include "hwy/cache_control.h"
#include "phi/kernels/cpu/gemm/gemm.h"
#include "phi/kernels/cpu/gemm/gemm_pack-inl.h"
#include "phi/kernels/cpu/gemm/gemm_tile.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

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
  // The results may have left the first cache meanwhile.
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

// A tile of fewer rows than the registers hold, more than six in two halves:
// the sums of one or two rows alone would wait for each other.
template <typename T>
HWY_NOINLINE void MultiplyRest(TileOperands<T> operands, int64_t rows,
                               TileResult<T> result) {
  if (kGemmRows > 6 && rows > 6) {
    const int64_t half = rows / 2;
    MultiplyRest(operands, half, result);
    operands.a += half * operands.a_row_stride;
    result.out += half * result.stride;
    rows -= half;
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
    case 6:
      return MultiplyTile<6>(operands, result);
    default:
      return;
  }
}

// `rows` rows of a: tile after tile, `step` elements apart. Where rows follow
// each other evenly, what is more than a tile and less than two is halved.
template <typename T>
HWY_INLINE void MultiplyColumn(TileOperands<T> operands, int64_t step,
                               int64_t rows, TileResult<T> result) {
  const bool even = step == kGemmRows * operands.a_row_stride;
  const int64_t least = even ? 2 * kGemmRows : kGemmRows;
  while (rows >= least || rows == kGemmRows) {
    MultiplyTile<kGemmRows>(operands, result);
    operands.a += step;
    result.out += kGemmRows * result.stride;
    rows -= kGemmRows;
  }
  if (rows > kGemmRows) {
    const int64_t half = rows / 2;
    MultiplyRest(operands, half, result);
    operands.a += half * operands.a_row_stride;
    result.out += half * result.stride;
    rows -= half;
  }
  if (rows > 0) MultiplyRest(operands, rows, result);
}

// Every tile of a task. The strides of packed rows are constants.
template <typename T>
void MultiplyPacked(const GemmTask<T>& task) {
  constexpr int64_t kWidth = kGemmColumns<T>;
  for (int64_t j = 0; j < task.columns; j += kWidth) {
    const T* b = task.b + j / kWidth * task.b_step;
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

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels::cpu
HWY_AFTER_NAMESPACE();

#endif  // per target
