// SPDX-License-Identifier: Apache-2.0
// What gemm.cc hands to the inner loops of one instruction set (gemm-inl.h).
#ifndef SWITCHYARD_PHI_KERNELS_CPU_GEMM_TILE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_GEMM_TILE_H_

#include <cstdint>

#include "phi/kernels/cpu/gemm.h"

namespace switchyard::phi::kernels {

// Rows of one task: a multiple of every instruction set's tile.
inline constexpr int64_t kGemmBlockRows = 96;
// Columns of one task: a multiple of every instruction set's tile.
inline constexpr int64_t kGemmBlockColumns = 256;

// A task: a part of one product's output.
template <typename T>
struct GemmBlock {
  const GemmProduct<T>* product;
  const T* packed;  // All of b as panels; null: read b where it lies.
  int64_t n;
  int64_t k;
  int64_t row_begin, row_end;
  int64_t column_begin, column_end;
};

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_CPU_GEMM_TILE_H_
