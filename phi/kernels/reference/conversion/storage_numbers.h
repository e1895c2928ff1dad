// SPDX-License-Identifier: Apache-2.0
// The numbers of storage types, found by trying all of them.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_CONVERSION_STORAGE_NUMBERS_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_CONVERSION_STORAGE_NUMBERS_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "framework/types/data_type.h"

namespace switchyard::phi::kernels::reference {

constexpr bool IsWhole(DataType dtype) {
  return dtype == DataType::kInt4 || dtype == DataType::kUInt4 ||
         dtype == DataType::kInt2 || dtype == DataType::kUInt2;
}

// The number of a floating code of `exponents` and `fractions` bits below its
// sign, as if it had neither infinities nor NaN.
inline double FloatOfCode(int code, int exponents, int fractions, int bias) {
  const double sign = code >> (exponents + fractions) & 1 ? -1 : 1;
  const int exponent = code >> fractions & ((1 << exponents) - 1);
  const double fraction =
      (code & ((1 << fractions) - 1)) / std::pow(2.0, fractions);
  return exponent == 0 ? sign * fraction * std::pow(2.0, 1 - bias)
                       : sign * (1 + fraction) * std::pow(2.0, exponent - bias);
}

inline double StoredNumber(DataType dtype, int code) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const int size = code & 0x7f;
  switch (dtype) {
    case DataType::kFloat8E4M3FN:
      return size == 0x7f ? kNaN : FloatOfCode(code, 4, 3, 7);
    case DataType::kFloat8E4M3FNUZ:
      return code == 0x80 ? kNaN : FloatOfCode(code, 4, 3, 8);
    case DataType::kFloat8E5M2:
      if (size > 0x7c) return kNaN;
      return size == 0x7c ? (code > size ? -1 : 1) *
                                std::numeric_limits<double>::infinity()
                          : FloatOfCode(code, 5, 2, 15);
    case DataType::kFloat8E5M2FNUZ:
      return code == 0x80 ? kNaN : FloatOfCode(code, 5, 2, 16);
    case DataType::kFloat8E8M0FNU:
      return code == 0xff ? kNaN : std::pow(2.0, code - 127);
    case DataType::kFloat4E2M1FN:
      return FloatOfCode(code, 2, 1, 1);
    case DataType::kInt4:
      return code < 8 ? code : code - 16;
    case DataType::kInt2:
      return code < 2 ? code : code - 4;
    default:
      return code;
  }
}

// The code of a number of a floating type that is none of its numbers.
inline int CodeBeyond(DataType dtype, long double v) {
  const int sign = std::signbit(v) ? 0x80 : 0;
  switch (dtype) {
    case DataType::kFloat8E4M3FN:
      return sign | 0x7f;
    case DataType::kFloat8E5M2:
      return sign | (v != v ? 0x7e : 0x7c);
    case DataType::kFloat8E8M0FNU:
      return 0xff;
    case DataType::kFloat4E2M1FN:
      return v != v ? 8 : sign != 0 ? 15 : 7;
    default:
      return 0x80;
  }
}

// The code of the nearest number: of two equally near ones the even code, of
// powers of 2 the greater one. Beyond the greatest number, what would round to
// one more is none.
inline int NearestCode(DataType dtype, long double v) {
  const bool powers = dtype == DataType::kFloat8E8M0FNU;
  if (v != v || (powers && v <= 0)) return CodeBeyond(dtype, v);
  int best = -1;
  long double least = std::numeric_limits<long double>::infinity();
  double greatest = 0, second = 0;
  for (int code = 0; code < 1 << ElementBits(dtype); ++code) {
    const double number = StoredNumber(dtype, code);
    if (!std::isfinite(number)) continue;
    if (number > greatest) {
      second = greatest;
      greatest = number;
    }
    // There may be no negative 0.
    const bool other_side = std::signbit(number) != std::signbit(v);
    if (other_side && !(number == 0 && std::signbit(v))) continue;
    const long double away = std::fabs(number - v);
    if (away < least || (away == least && (powers || code % 2 == 0))) {
      least = away;
      best = code;
    }
  }
  const double half_place = (powers ? greatest : greatest - second) / 2;
  const long double over = std::fabs(v) - greatest;
  const bool beyond =
      over > half_place || (over == half_place && (powers || best % 2 != 0));
  return best < 0 || beyond ? CodeBeyond(dtype, v) : best;
}

// The code of an integer type: cut off, as near as the type has it.
inline int WholeCode(DataType dtype, double v) {
  const int count = 1 << ElementBits(dtype);
  int best = 0;
  for (int code = 0; code < count && v == v; ++code) {
    const double whole = std::trunc(std::fmin(std::fmax(v, -99), 99));
    if (std::fabs(StoredNumber(dtype, code) - whole) <
        std::fabs(StoredNumber(dtype, best) - whole)) {
      best = code;
    }
  }
  return best;
}

// A value as the reference computes with it: the number of a code.
template <typename T>
auto Readable(T v) {
  if constexpr (!IsStorage(DataTypeOf<T>::value)) {
    return v;
  } else if constexpr (IsWhole(DataTypeOf<T>::value)) {
    return static_cast<int64_t>(StoredNumber(DataTypeOf<T>::value, v.code));
  } else {
    return StoredNumber(DataTypeOf<T>::value, v.code);
  }
}

// The code of any value; of integers an integer type has the last bits.
template <typename T>
uint8_t StoredCode(DataType dtype, T v) {
  if constexpr (kIsComplex<T>) {
    return StoredCode(dtype, v.real());
  } else if constexpr (std::is_integral_v<T>) {
    const int last = static_cast<int>(v) & ((1 << ElementBits(dtype)) - 1);
    return static_cast<uint8_t>(IsWhole(dtype) ? last : NearestCode(dtype, v));
  } else {
    const auto number = static_cast<double>(v);
    return static_cast<uint8_t>(IsWhole(dtype) ? WholeCode(dtype, number)
                                               : NearestCode(dtype, number));
  }
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_CONVERSION_STORAGE_NUMBERS_H_
