// SPDX-License-Identifier: Apache-2.0
// WriteTileRow: a row of an image whose columns take turns between the rows of
// a product, as a transposed convolution of windows side by side has them.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_CONV_TILE_ROWS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_CONV_TILE_ROWS_H_

#include <cstdint>

namespace switchyard::phi::kernels::cpu {

// Column x of the image's row is element x / taps of row x % taps.
template <typename T>
struct TileRow {
  const T* products;  // Of the first tap.
  int64_t tap_step;   // From tap to tap.
  int64_t taps;
  int64_t count;  // Elements of each tap.
  T bias;         // Added to each.
  bool relu;      // Whether what is negative then becomes 0.
  T* to;
};

// Two taps go vector by vector, others element by element; every element is
// computed alike.
void WriteTileRow(const TileRow<float>& row);
void WriteTileRow(const TileRow<double>& row);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CONV_TILE_ROWS_H_
