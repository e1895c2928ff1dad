// SPDX-License-Identifier: Apache-2.0
// The tile that gemm.cc hands to the inner loops of one instruction set
// (gemm-inl.h).
#ifndef SWITCHYARD_PHI_KERNELS_CPU_GEMM_GEMM_TILE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_GEMM_GEMM_TILE_H_

#include <cstdint>

#include "phi/kernels/cpu/gemm/gemm.h"

namespace switchyard::phi::kernels::cpu {

// Rows and columns of out that an instruction set's registers hold, and from
// how many columns on a left operand without gaps is worth packing.
struct GemmTileShape {
  int64_t rows;
  int64_t columns;
  int64_t pack_from_columns;
};

// Packing: `lanes` rows of a, or columns of b, of `depth` elements each, become
// strips of `width` lanes: strip s holds lane s * width + i at
// to[s * width * depth + p * width + i]. Lanes beside the last are zeros.
template <typename T>
struct GemmStrips {
  const T* data;
  int64_t lane_stride;
  int64_t depth_stride;
  int64_t lanes;
  int64_t depth;
  int64_t width;
  T* to;
};

// A task: a [rows, depth] times b [depth, columns] into out; b is packed, its
// strips b_step elements apart, and a too if its row stride is 0. Otherwise its
// rows are without gaps.
template <typename T>
struct GemmTask {
  const T* a;
  int64_t a_row_stride;
  const T* b;
  int64_t b_step;
  int64_t rows;
  int64_t columns;
  int64_t depth;
  bool first;  // Whether out is set, or added to.
  T* out;
  int64_t out_stride;
};

// A product, or some of its columns, whose left operand is read where it lies
// and whose right one is packed strip by strip on the way, unless it is packed.
template <typename T>
struct GemmLocal {
  GemmProduct<T> product;
  int64_t m;
  int64_t n;
  int64_t k;
  int64_t out_stride;
};

// How many elements of k from `begin` on are one block: all blocks are about
// equal, so none is too short to pay for.
constexpr int64_t GemmBlockDepth(int64_t k, int64_t begin) {
  const int64_t blocks = (k - 1) / kGemmDepth + 1;
  const int64_t depth = ((k - 1) / blocks / 8 + 1) * 8;
  return k - begin < depth ? k - begin : depth;
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_GEMM_GEMM_TILE_H_
