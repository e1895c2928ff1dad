// SPDX-License-Identifier: Apache-2.0
// Conversions between rows of float32, float64 and int32 by vectors. The bits
// are those of static_cast: exact, or rounded to nearest even.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_CONVERSION_FLOAT_ROWS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_CONVERSION_FLOAT_ROWS_H_

#include <cstdint>

namespace switchyard::phi::kernels::cpu {

// Each converts `count` adjacent elements; the rows don't overlap.
void ConvertRow(const float* in, int64_t count, double* out);
void ConvertRow(const double* in, int64_t count, float* out);
void ConvertRow(const int32_t* in, int64_t count, float* out);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CONVERSION_FLOAT_ROWS_H_
