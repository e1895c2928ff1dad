// SPDX-License-Identifier: Apache-2.0
// The narrow dtypes (bool, int8, uint8, int16, uint16, uint32, float16,
// bfloat16) have no arithmetic of their own: kernels compute with a wider
// dtype, a span at a time. Here are the conversions of spans there and back;
// those of single values are in framework/types/float16.h.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_CONVERSION_NARROW_DTYPES_H_
#define SWITCHYARD_PHI_KERNELS_CPU_CONVERSION_NARROW_DTYPES_H_

#include <cstdint>

#include "framework/types/data_type.h"

namespace switchyard::phi::kernels::cpu {

// Returns the dtype in which elements of `dtype` are computed: float32 for
// float16 and bfloat16, int32 for bool, int8, uint8, int16 and uint16, int64
// for uint32; itself for the others.
DataType ComputeDtype(DataType dtype);

// Converts `count` elements of the narrow `dtype` at `in` to the same numbers
// of ComputeDtype(dtype).
void Widen(DataType dtype, const void* in, int64_t count, void* out);

// Converts them back. Floating numbers are rounded to nearest even, too large
// ones to infinity, NaNs stay NaNs; integers lose their upper bits.
void Narrow(DataType dtype, const void* in, int64_t count, void* out);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CONVERSION_NARROW_DTYPES_H_
