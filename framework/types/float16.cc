// SPDX-License-Identifier: Apache-2.0
#include "framework/types/float16.h"

namespace switchyard {
namespace {

uint32_t BitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

float FloatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// `value` as a float, rounded to odd: towards zero, and then the last bit set
// if anything was lost. Rounding that once more to a type with at least two
// bits fewer gives what rounding `value` to it at once gives (Boldo and
// Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
float RoundToOdd(double value) {
  const float nearest = static_cast<float>(value);
  const double back = nearest;
  if (back == value || value != value) return nearest;
  uint32_t bits = BitsOf(nearest);
  const bool away = (value < 0) ? back < value : back > value;
  // One step towards zero is the bit pattern below, for infinity as well.
  if (away) --bits;
  return FloatOf(bits | 1u);
}

}  // namespace

uint16_t Float16Bits(float value) {
  const uint32_t bits = BitsOf(value);
  const uint32_t sign = bits >> 16 & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {  // NaN
    return static_cast<uint16_t>(sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));
  }
  // 65520 = halfway from the greatest finite number to 2^16.
  if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);
  if (magnitude >= 0x38800000u) {  // Normal: 2^-14 and more.
    const uint32_t odd = magnitude >> 13 & 1u;
    const uint32_t rounded = (magnitude + 0xfffu + odd) >> 13;
    return static_cast<uint16_t>(sign | (rounded - ((127u - 15u) << 10)));
  }
  // Subnormal: in units of 2^-24. Adding 0.5 (whose last place is 2^-24) lets
  // the float addition round to nearest even.
  const float sum = FloatOf(magnitude) + 0.5f;
  return static_cast<uint16_t>(sign | (BitsOf(sum) - BitsOf(0.5f)));
}

uint16_t Float16Bits(double value) { return Float16Bits(RoundToOdd(value)); }

float Float16ToFloat(uint16_t bits) {
  const uint32_t sign = (bits & 0x8000u) << 16;
  const uint32_t magnitude = bits & 0x7fffu;
  if (magnitude >= 0x7c00u) {  // Infinity and NaN.
    return FloatOf(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
  }
  if (magnitude >= 0x0400u) {
    return FloatOf(sign | (magnitude + ((127u - 15u) << 10)) << 13);
  }
  // Zero and subnormal: units of 2^-24, exact as a float.
  const float value = static_cast<float>(magnitude) * 0x1p-24f;
  return FloatOf(sign | BitsOf(value));
}

uint16_t BFloat16Bits(double value) { return BFloat16Bits(RoundToOdd(value)); }

}  // namespace switchyard
