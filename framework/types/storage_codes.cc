// SPDX-License-Identifier: Apache-2.0
#include "framework/types/storage_codes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace switchyard {
namespace {

// A floating type: sign, exponent, fraction. Numbers end with the code
// `greatest`; what is above it, and NaN, are the codes `beyond` and `nan`.
struct Format {
  int fraction_bits;
  int bias;
  uint8_t sign;
  uint8_t greatest;
  uint8_t beyond;
  uint8_t nan;
  bool one_zero;  // The code of -0 is NaN's.
};

constexpr Format kE4M3FN = {3, 7, 0x80, 0x7e, 0x7f, 0x7f, false};
constexpr Format kE4M3FNUZ = {3, 8, 0x80, 0x7f, 0x80, 0x80, true};
constexpr Format kE5M2 = {2, 15, 0x80, 0x7b, 0x7c, 0x7e, false};
constexpr Format kE5M2FNUZ = {2, 16, 0x80, 0x7f, 0x80, 0x80, true};
constexpr Format kE2M1FN = {1, 1, 0x08, 0x07, 0x07, 0x08, false};

const Format* FormatOf(DataType dtype) {
  switch (dtype) {
    case DataType::kFloat8E4M3FN:
      return &kE4M3FN;
    case DataType::kFloat8E4M3FNUZ:
      return &kE4M3FNUZ;
    case DataType::kFloat8E5M2:
      return &kE5M2;
    case DataType::kFloat8E5M2FNUZ:
      return &kE5M2FNUZ;
    case DataType::kFloat4E2M1FN:
      return &kE2M1FN;
    default:
      return nullptr;
  }
}

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double NumberOf(const Format& format, uint8_t code) {
  const uint8_t size = code & (format.sign - 1);
  const bool negative = (code & format.sign) != 0;
  double number;
  if (format.one_zero && code == format.nan) {
    return kNaN;
  } else if (size > format.greatest) {
    // Only float8_e5m2 has an infinity.
    number = format.beyond != format.nan && size == format.beyond
                 ? std::numeric_limits<double>::infinity()
                 : kNaN;
  } else {
    const int fraction = size & ((1 << format.fraction_bits) - 1);
    const int exponent = size >> format.fraction_bits;
    const int one = exponent == 0 ? 0 : 1 << format.fraction_bits;
    number = std::ldexp(fraction + one, (exponent == 0 ? 1 : exponent) -
                                            format.bias - format.fraction_bits);
  }
  return negative ? -number : number;
}

double NumberOf(DataType dtype, uint8_t code) {
  if (const Format* const format = FormatOf(dtype)) {
    return NumberOf(*format, code);
  }
  if (dtype == DataType::kFloat8E8M0FNU) {
    return code == 0xff ? kNaN : std::ldexp(1.0, code - 127);
  }
  const int bits = ElementBits(dtype);
  const int number = code & ((1 << bits) - 1);
  const bool is_signed = dtype == DataType::kInt4 || dtype == DataType::kInt2;
  return is_signed && number >> (bits - 1) != 0 ? number - (1 << bits) : number;
}

using Table = std::array<double, 256>;
constexpr int kFirst = static_cast<int>(DataType::kFloat8E4M3FN);
constexpr int kTypes = static_cast<int>(DataType::kUInt2) - kFirst + 1;

std::array<Table, kTypes> MakeTables() {
  std::array<Table, kTypes> tables;
  for (int type = 0; type < kTypes; ++type) {
    for (int code = 0; code < 256; ++code) {
      tables[type][code] = NumberOf(static_cast<DataType>(kFirst + type),
                                    static_cast<uint8_t>(code));
    }
  }
  return tables;
}

uint64_t BitsOf(double v) {
  uint64_t bits;
  std::memcpy(&bits, &v, sizeof(bits));
  return bits;
}

// 2^exponent, which is a normal number.
double PowerOf2(int exponent) {
  const uint64_t bits = static_cast<uint64_t>(exponent + 1023) << 52;
  double v;
  std::memcpy(&v, &bits, sizeof(v));
  return v;
}

// The exponent of a normal double.
int ExponentOf(double v) {
  return static_cast<int>(BitsOf(v) >> 52 & 0x7ff) - 1023;
}

uint8_t CodeOf(const Format& format, double v) {
  if (v != v) return format.nan;
  const uint8_t sign = std::signbit(v) ? format.sign : 0;
  const double size = std::fabs(v);
  const int least = 1 - format.bias;
  int code;
  if (size >= PowerOf2(format.bias + 17)) {
    code = format.beyond;
  } else {
    const int exponent = std::max(ExponentOf(size), least);
    // In units of the last place; the sum with 2^52 rounds to an even one.
    const double exact = size * PowerOf2(format.fraction_bits - exponent);
    const auto whole = static_cast<int>(exact + 0x1p52 - 0x1p52);
    code = ((exponent - least) << format.fraction_bits) + whole;
    if (code > format.greatest) code = format.beyond;
  }
  if (format.one_zero && (code == 0 || code == format.nan)) {
    return static_cast<uint8_t>(code);
  }
  return static_cast<uint8_t>(code | sign);
}

// Returns the code of float8_e8m0fnu, whose numbers are powers of 2.
uint8_t CodeOfPower(double v) {
  if (!(v > 0) || v >= 0x1.8p127) return 0xff;
  if (v < 0x1p-127) return 0;
  const bool upper_half = (BitsOf(v) >> 51 & 1) != 0;
  return static_cast<uint8_t>(ExponentOf(v) + 127 + upper_half);
}

// Returns the code of an integer type.
uint8_t CodeOfInteger(DataType dtype, double v) {
  const int bits = ElementBits(dtype);
  const bool is_signed = dtype == DataType::kInt4 || dtype == DataType::kInt2;
  const double most = (1 << (is_signed ? bits - 1 : bits)) - 1;
  const double least = is_signed ? -most - 1 : 0;
  if (v != v) return 0;
  const auto whole = static_cast<int>(std::min(std::max(v, least), most));
  return CodeOfLastBits(dtype, static_cast<uint8_t>(whole));
}

}  // namespace

const double* NumbersOfCodes(DataType dtype) {
  static const auto* const tables = new std::array<Table, kTypes>(MakeTables());
  return (*tables)[static_cast<int>(dtype) - kFirst].data();
}

void CodesOfNumbers(DataType dtype, const double* numbers, int64_t count,
                    uint8_t* codes) {
  if (const Format* const format = FormatOf(dtype)) {
    for (int64_t i = 0; i < count; ++i) codes[i] = CodeOf(*format, numbers[i]);
  } else if (dtype == DataType::kFloat8E8M0FNU) {
    for (int64_t i = 0; i < count; ++i) codes[i] = CodeOfPower(numbers[i]);
  } else {
    for (int64_t i = 0; i < count; ++i) {
      codes[i] = CodeOfInteger(dtype, numbers[i]);
    }
  }
}

}  // namespace switchyard
