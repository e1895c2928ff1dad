// SPDX-License-Identifier: Apache-2.0
// Products of float32 rows with the rows of a matrix of few bits, whose numbers
// are unpacked in registers.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_LINALG_QUANTIZED_ROWS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_LINALG_QUANTIZED_ROWS_H_

#include <cstdint>

namespace switchyard::phi::kernels::cpu {

// out [m, n] = x [m, k] times the transposed matrix of n rows. With `packed` a
// byte holds two numbers, plus 8, and a row of x is first its numbers of even
// positions, then those of odd ones, `bytes` of each.
struct QuantizedRows {
  const float* x;
  const uint8_t* weight;  // [n, bytes].
  const float* scale;     // [n, groups].
  const float* bias;      // [n], or null.
  float* out;
  int64_t m, n, bytes, groups;
  int64_t step;  // Bytes of a group; the last may have less.
  bool packed;
};

// Computes the columns [begin, end) of out. The sum of an element is taken in
// an order that `bytes` and `step` alone decide.
void MultiplyQuantizedRows(const QuantizedRows& product, int64_t begin,
                           int64_t end);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_LINALG_QUANTIZED_ROWS_H_
