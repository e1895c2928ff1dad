// SPDX-License-Identifier: Apache-2.0
// Rows of float32 to integers of 8 bits and back.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_CONV_INT8_ROWS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_CONV_INT8_ROWS_H_

#include <cstdint>

namespace switchyard::phi::kernels::cpu {

// Writes the integers next to x[i] * factor, of two the even one, from -127 to
// 127; 0 for NaN.
void QuantizeRow(const float* x, float factor, int64_t count, int8_t* out);

// Writes the integers as numbers.
void WidenRow(const int8_t* x, int64_t count, float* out);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CONV_INT8_ROWS_H_
