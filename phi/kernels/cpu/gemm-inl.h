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

#include "phi/kernels/cpu/gemm.h"
#include "phi/kernels/cpu/gemm_tile.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
using GemmTag = hn::ScalableTag<T>;

// Columns of a tile: two vectors.
template <typename T>
constexpr int64_t kGemmColumns = 2 * hn::MaxLanes(GemmTag<T>());
// Rows of a tile: as many as the registers hold.
#if HWY_TARGET == HWY_AVX3
constexpr int64_t kGemmRows = 12;
#else
constexpr int64_t kGemmRows = 6;
#endif

// out[0..kRows) += (or =, on the first block) a times b over `depth`. b has
// rows of a whole tile's columns, `b_stride` apart. Rows from `rows` on repeat
// row 0 and are not stored; columns from `columns` on neither.
template <int kRows, typename T>
HWY_INLINE void MultiplyTile(const GemmOperand<T>& a, int64_t rows, const T* b,
                             int64_t b_stride, int64_t depth, int64_t columns,
                             bool first, T* out, int64_t out_stride) {
  const GemmTag<T> d;
  using V = hn::Vec<GemmTag<T>>;
  constexpr int64_t kLanes = hn::MaxLanes(GemmTag<T>());
  const T* row[kRows];
  V sum[kRows][2];
  for (int i = 0; i < kRows; ++i) {
    row[i] = a.data + (i < rows ? i : 0) * a.row_stride;
    sum[i][0] = hn::Zero(d);
    sum[i][1] = hn::Zero(d);
  }
  for (int64_t p = 0; p < depth; ++p) {
    const V b0 = hn::LoadU(d, b + p * b_stride);
    const V b1 = hn::LoadU(d, b + p * b_stride + kLanes);
    for (int i = 0; i < kRows; ++i) {
      const V v = hn::Set(d, row[i][p * a.column_stride]);
      sum[i][0] = hn::MulAdd(v, b0, sum[i][0]);
      sum[i][1] = hn::MulAdd(v, b1, sum[i][1]);
    }
  }
  for (int i = 0; i < kRows && i < rows; ++i) {
    T* to = out + i * out_stride;
    if (columns == kGemmColumns<T>) {
      if (!first) {
        sum[i][0] = hn::Add(hn::LoadU(d, to), sum[i][0]);
        sum[i][1] = hn::Add(hn::LoadU(d, to + kLanes), sum[i][1]);
      }
      hn::StoreU(sum[i][0], d, to);
      hn::StoreU(sum[i][1], d, to + kLanes);
      continue;
    }
    T part[2 * kLanes];
    hn::StoreU(sum[i][0], d, part);
    hn::StoreU(sum[i][1], d, part + kLanes);
    for (int64_t j = 0; j < columns; ++j) {
      to[j] = first ? part[j] : to[j] + part[j];
    }
  }
}

// Columns [begin, begin + columns) of b's rows [0, depth) as a panel of whole
// tile rows, zeros beside them.
template <typename T>
void PackColumns(const GemmOperand<T>& b, int64_t begin, int64_t columns,
                 int64_t depth, T* panel) {
  constexpr int64_t kWidth = kGemmColumns<T>;
  const T* from = b.data + begin * b.column_stride;
  if (columns < kWidth) std::fill_n(panel, depth * kWidth, T{0});
  if (b.row_stride == 1) {  // Transposed: read along its columns.
    for (int64_t j = 0; j < columns; ++j) {
      const T* column = from + j * b.column_stride;
      for (int64_t p = 0; p < depth; ++p) panel[p * kWidth + j] = column[p];
    }
    return;
  }
  for (int64_t p = 0; p < depth; ++p) {
    const T* row = from + p * b.row_stride;
    T* to = panel + p * kWidth;
    for (int64_t j = 0; j < columns; ++j) to[j] = row[j * b.column_stride];
  }
}

// All of b: block after block of kGemmDepth rows, panel after panel of columns.
template <typename T>
void PackPanels(const GemmOperand<T>& b, int64_t k, int64_t n,
                int64_t begin_panel, int64_t end_panel, T* packed) {
  constexpr int64_t kWidth = kGemmColumns<T>;
  const int64_t panels = (n + kWidth - 1) / kWidth;
  for (int64_t p = 0; p < k; p += kGemmDepth) {
    const int64_t depth = std::min(kGemmDepth, k - p);
    const GemmOperand<T> block{b.data + p * b.row_stride, b.row_stride,
                               b.column_stride};
    T* to = packed + p * panels * kWidth;
    for (int64_t panel = begin_panel; panel < end_panel; ++panel) {
      PackColumns(block, panel * kWidth, std::min(kWidth, n - panel * kWidth),
                  depth, to + panel * depth * kWidth);
    }
  }
}

// Rows [0, rows) of a's block, tile after tile, a tile's rows side by side.
template <typename T>
void PackRows(const GemmOperand<T>& a, int64_t rows, int64_t depth, T* packed) {
  for (int64_t i = 0; i < rows; i += kGemmRows) {
    const int64_t count = std::min(kGemmRows, rows - i);
    for (int64_t p = 0; p < depth; ++p) {
      for (int64_t r = 0; r < count; ++r) {
        packed[p * kGemmRows + r] =
            a.data[(i + r) * a.row_stride + p * a.column_stride];
      }
    }
    packed += depth * kGemmRows;
  }
}

// The tile of out at the block's rows [i, i + rows).
template <typename T>
HWY_INLINE void DispatchRows(const GemmOperand<T>& a, int64_t rows, const T* b,
                             int64_t b_stride, int64_t depth, int64_t columns,
                             bool first, T* out, int64_t n) {
  if (rows == 1) {
    MultiplyTile<1>(a, rows, b, b_stride, depth, columns, first, out, n);
  } else if (rows <= 4) {
    MultiplyTile<4>(a, rows, b, b_stride, depth, columns, first, out, n);
  } else {
    MultiplyTile<kGemmRows>(a, rows, b, b_stride, depth, columns, first, out,
                            n);
  }
}

// Rows and columns of out that `block` names, over all of k.
template <typename T>
void MultiplyBlock(const GemmBlock<T>& block) {
  constexpr int64_t kWidth = kGemmColumns<T>;
  const int64_t panels = (block.n + kWidth - 1) / kWidth;
  const GemmProduct<T>& product = *block.product;
  HWY_ALIGN T edge[kGemmDepth * kWidth];
  HWY_ALIGN T packed_rows[kGemmBlockRows * kGemmDepth];
  const int64_t rows = block.row_end - block.row_begin;
  for (int64_t p = 0; p < block.k; p += kGemmDepth) {
    const int64_t depth = std::min(kGemmDepth, block.k - p);
    const GemmOperand<T> a{product.a.data +
                               block.row_begin * product.a.row_stride +
                               p * product.a.column_stride,
                           product.a.row_stride, product.a.column_stride};
    // Packing pays where the rows are used for several panels.
    const bool pack_rows = block.packed != nullptr;
    if (pack_rows) PackRows(a, rows, depth, packed_rows);
    for (int64_t j = block.column_begin; j < block.column_end; j += kWidth) {
      const int64_t columns = std::min(kWidth, block.n - j);
      const GemmOperand<T> whole{product.b.data + p * product.b.row_stride,
                                 product.b.row_stride, product.b.column_stride};
      const T* b = edge;
      int64_t b_stride = kWidth;
      if (block.packed != nullptr) {
        b = block.packed + p * panels * kWidth + j * depth;
      } else if (columns == kWidth && whole.column_stride == 1) {
        b = whole.data + j;
        b_stride = whole.row_stride;
      } else {
        PackColumns(whole, j, columns, depth, edge);
      }
      for (int64_t i = 0; i < rows; i += kGemmRows) {
        GemmOperand<T> tile{a.data + i * a.row_stride, a.row_stride,
                            a.column_stride};
        if (pack_rows) tile = {packed_rows + i * depth, 1, kGemmRows};
        T* out = product.out + (block.row_begin + i) * block.n + j;
        DispatchRows(tile, std::min(kGemmRows, rows - i), b, b_stride, depth,
                     columns, p == 0, out, block.n);
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels
HWY_AFTER_NAMESPACE();

#endif  // per target
