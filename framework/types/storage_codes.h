// SPDX-License-Identifier: Apache-2.0
// The storage types (framework/types/data_type.def) as numbers. Any of theirs
// is exactly a double, and a double becomes one of theirs by one rounding.
#ifndef SWITCHYARD_FRAMEWORK_TYPES_STORAGE_CODES_H_
#define SWITCHYARD_FRAMEWORK_TYPES_STORAGE_CODES_H_

#include <cstdint>

#include "framework/types/data_type.h"

namespace switchyard {

// Returns the numbers of all 256 codes of a storage type; of a code that is
// none, the number of its lower bits.
const double* NumbersOfCodes(DataType dtype);

// Gives each number the code of the nearest one of `dtype`. As ml_dtypes does
// it: ties go to the even code (float8_e8m0fnu: away from 0), numbers that are
// too large become infinity, NaN where there is none, and the greatest of
// float4_e2m1fn, whose NaN is -0. What float8_e8m0fnu has no sign or 0 for is
// NaN. Integers are cut off and saturate; NaN gives 0.
void CodesOfNumbers(DataType dtype, const double* numbers, int64_t count,
                    uint8_t* codes);

// Returns the code of an integer that is given by its last 8 bits: an integer
// type takes the last bits of these.
inline uint8_t CodeOfLastBits(DataType dtype, uint8_t bits) {
  return bits & ((1 << ElementBits(dtype)) - 1);
}

// An integer as a double that rounds to a storage type as the integer does:
// what a double has no place for is a half in its last place.
template <typename T>
double InLastPlace(T v) {
  const auto bits = static_cast<uint64_t>(v);
  const bool negative = v < T{0};
  uint64_t size = negative ? 0 - bits : bits;
  if (size >> 53 != 0 && (size & 0xfff) != 0) {
    size = (size & ~uint64_t{0xfff}) | 0x800;
  }
  const auto number = static_cast<double>(size);
  return negative ? -number : number;
}

constexpr bool IsStoredInteger(DataType dtype) {
  return dtype == DataType::kInt4 || dtype == DataType::kUInt4 ||
         dtype == DataType::kInt2 || dtype == DataType::kUInt2;
}

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TYPES_STORAGE_CODES_H_
