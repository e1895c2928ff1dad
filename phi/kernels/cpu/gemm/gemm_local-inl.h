// SPDX-License-Identifier: Apache-2.0
// The inner loops of Gemm (gemm.h) for one instruction set, where the left
// operand is read where it lies: the right one is packed strip by strip, or was
// before the call.
#include "phi/kernels/cpu/simd/simd_targets.h"

// Read once for each instruction set.
#if defined(SWITCHYARD_PHI_KERNELS_CPU_GEMM_GEMM_LOCAL_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_CPU_GEMM_GEMM_LOCAL_INL_H_
#undef SWITCHYARD_PHI_KERNELS_CPU_GEMM_GEMM_LOCAL_INL_H_
#else
#define SWITCHYARD_PHI_KERNELS_CPU_GEMM_GEMM_LOCAL_INL_H_
#endif

#include <algorithm>

#include "phi/kernels/cpu/gemm/gemm-inl.h"
#include "phi/kernels/cpu/gemm/gemm_tile.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

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

// Some rows of a times some strips of b: `tile` is the first of them, b's
// strips follow each other by strip_step elements.
template <typename T>
HWY_INLINE void MultiplyPanel(TileOperands<T> tile, int64_t strip_step,
                              int64_t rows, int64_t columns,
                              TileResult<T> result) {
  constexpr int64_t kWidth = kGemmColumns<T>;
  for (int64_t j = 0; j < columns; j += kWidth) {
    result.columns = std::min(kWidth, columns - j);
    MultiplyColumn(tile, kGemmRows * tile.a_row_stride, rows, result);
    tile.b += strip_step;
    result.out += kWidth;
  }
}

// A panel of b times all rows of a. Few rows at a time: their results are
// written side by side, into few pages.
template <typename T>
void MultiplyPanels(TileOperands<T> tile, int64_t strip_step, int64_t rows,
                    int64_t columns, TileResult<T> result) {
  constexpr int64_t kRows = 4 * kGemmRows;
  while (rows > 0) {
    const int64_t some = rows < kRows + kGemmRows ? rows : kRows;
    if (tile.a_column_stride == 1) {
      tile.a_column_stride = 1;  // A constant is worth a loop of its own.
      MultiplyPanel(tile, strip_step, some, columns, result);
    } else if (tile.a_row_stride == 1) {
      tile.a_row_stride = 1;
      MultiplyPanel(tile, strip_step, some, columns, result);
    } else {
      MultiplyPanel(tile, strip_step, some, columns, result);
    }
    tile.a += some * tile.a_row_stride;
    result.out += some * result.stride;
    rows -= some;
  }
}

// The sums of one row with kStrips strips of a packed operand; see TileSums.
template <int kStrips, typename T>
struct StripSums {
  GemmVec<T> low, high;
  StripSums<kStrips - 1, T> next;

  HWY_INLINE void Clear() {
    low = high = hn::Zero(GemmTag<T>());
    next.Clear();
  }
  HWY_INLINE void MulAdd(GemmVec<T> a, const T* b, int64_t step) {
    const GemmTag<T> d;
    low = hn::MulAdd(a, hn::LoadU(d, b), low);
    high = hn::MulAdd(a, hn::LoadU(d, b + hn::MaxLanes(GemmTag<T>())), high);
    next.MulAdd(a, b + step, step);
  }
  HWY_INLINE void Store(bool first, T* out) const {
    const GemmTag<T> d;
    constexpr int64_t kLanes = hn::MaxLanes(GemmTag<T>());
    const auto store = [&](GemmVec<T> sums, T* to) HWY_ATTR {
      hn::StoreU(first ? sums : hn::Add(hn::LoadU(d, to), sums), d, to);
    };
    store(low, out);
    store(high, out + kLanes);
    next.Store(first, out + 2 * kLanes);
  }
};

template <typename T>
struct StripSums<0, T> {
  HWY_INLINE void Clear() {}
  HWY_INLINE void MulAdd(GemmVec<T>, const T*, int64_t) {}
  HWY_INLINE void Store(bool, T*) const {}
};

// As MultiplyRow, of strips that are strip_step apart: four at a time.
template <typename T>
int64_t MultiplyRowOfStrips(const TileOperands<T>& row, int64_t strip_step,
                            int64_t n, bool first, T* out) {
  constexpr int64_t kWide = 4 * kGemmColumns<T>;
  int64_t j = 0;
  for (; j + kWide <= n; j += kWide) {
    StripSums<4, T> sums;
    sums.Clear();
    const T* b = row.b + j / kGemmColumns<T> * strip_step;
    for (int64_t p = 0; p < row.depth; ++p) {
      sums.MulAdd(hn::Set(GemmTag<T>(), row.a[p * row.a_column_stride]), b,
                  strip_step);
      b += kGemmColumns<T>;
    }
    sums.Store(first, out + j);
  }
  return j;
}

// All of a local product whose right operand is packed: as many strips at a
// time as stay in the first cache while the rows pass by.
template <typename T>
void MultiplyStrips(const GemmLocal<T>& local) {
  constexpr int64_t kWidth = kGemmColumns<T>;
  const GemmOperand<T>& a = local.product.a;
  const int64_t strip_step = local.k * kWidth;
  for (int64_t begin = 0; begin < local.k;) {
    const int64_t depth = GemmBlockDepth(local.k, begin);
    const T* const from = local.product.b.data + begin * kWidth;
    TileOperands<T> tile = {a.data + begin * a.column_stride,
                            a.row_stride,
                            a.column_stride,
                            from,
                            kWidth,
                            depth};
    int64_t j = 0;
    if (local.m == 1) {
      j = MultiplyRowOfStrips(tile, strip_step, local.n, begin == 0,
                              local.product.out);
    }
    const int64_t wide = kGemmDepth / depth * kWidth;
    for (; j < local.n; j += wide) {
      tile.b = from + j / kWidth * strip_step;
      MultiplyPanels<T>(
          tile, strip_step, local.m, std::min(wide, local.n - j),
          {local.product.out + j, local.out_stride, 0, begin == 0});
    }
    begin += depth;
  }
}

// All of a local product. Packing a strip pays where several tiles use it.
template <typename T>
void MultiplyLocal(const GemmLocal<T>& local) {
  if (local.product.packed_b) {
    MultiplyStrips(local);
    return;
  }
  constexpr int64_t kWidth = kGemmColumns<T>;
  const GemmOperand<T>& a = local.product.a;
  const GemmOperand<T>& b = local.product.b;
  HWY_ALIGN T panel[kGemmDepth * kWidth];
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
    // As many strips at once as the panel holds of this depth.
    const int64_t wide = kGemmDepth / depth * kWidth;
    const bool pack = b.column_stride != 1 || local.m > 2 * kGemmRows;
    for (int64_t columns = 0; j < local.n; j += columns) {
      columns = std::min(wide, local.n - j);
      if (!pack && columns > kWidth) columns -= columns % kWidth;
      int64_t strip_step = kWidth * b.column_stride;
      tile.b = from + j * b.column_stride;
      tile.b_stride = b.row_stride;
      if (pack || columns < kWidth) {
        PackStrips<T>({tile.b, b.column_stride, b.row_stride, columns, depth,
                       kWidth, panel});
        tile.b = panel;
        tile.b_stride = kWidth;
        strip_step = depth * kWidth;
        if (local.m == 1) {
          const int64_t done = MultiplyRowOfStrips(
              tile, strip_step, columns, begin == 0, local.product.out + j);
          tile.b += done / kWidth * strip_step;
          j += done;
          columns -= done;
        }
      }
      MultiplyPanels<T>(
          tile, strip_step, local.m, columns,
          {local.product.out + j, local.out_stride, 0, begin == 0});
    }
    begin += depth;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels::cpu
HWY_AFTER_NAMESPACE();

#endif  // per target
