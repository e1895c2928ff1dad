// SPDX-License-Identifier: Apache-2.0
// float16 (IEEE 754 binary16) and bfloat16 (the upper half of a binary32):
// trivial two-byte values. Conversions round to nearest even and are exact
// where they can be, the same on every machine (no hardware instructions). A
// value converts to float implicitly and loses nothing; the way back is
// explicit. Arithmetic is float's: a op b is rounded once, from the float
// result. Vector code converts with Highway, in the kernels.
#ifndef SWITCHYARD_FRAMEWORK_TYPES_FLOAT16_H_
#define SWITCHYARD_FRAMEWORK_TYPES_FLOAT16_H_

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace switchyard {

// Returns the bits of the number nearest to `value`; ties to even, NaNs stay
// NaNs (made quiet, sign kept), overflow is infinite.
uint16_t Float16Bits(float value);
uint16_t Float16Bits(double value);
float Float16ToFloat(uint16_t bits);

inline uint16_t BFloat16Bits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  if ((bits & 0x7fffffffu) > 0x7f800000u) {
    return static_cast<uint16_t>(bits >> 16 | 0x40u);
  }
  // Adding just under half of the last kept place, and one more if that place
  // is odd, carries exactly when rounding to nearest even goes up.
  return static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
uint16_t BFloat16Bits(double value);
inline float BFloat16ToFloat(uint16_t bits) {
  const uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

// Returns the bits of the greatest number below a finite one, in either format.
constexpr uint16_t HalfBitsBelow(uint16_t bits) {
  if ((bits & 0x7fffu) == 0) return 0x8001u;
  return static_cast<uint16_t>((bits & 0x8000u) != 0 ? bits + 1 : bits - 1);
}

#define SY_HALF_TYPE(Type, ToBits, ToFloat)                                    \
  class Type {                                                                 \
   public:                                                                     \
    Type() = default;                                                          \
    explicit Type(float value) : bits_(ToBits(value)) {}                       \
    explicit Type(double value) : bits_(ToBits(value)) {}                      \
    template <typename I,                                                      \
              typename = std::enable_if_t<std::is_integral<I>::value>>         \
    explicit Type(I value) : Type(static_cast<double>(value)) {}               \
    static constexpr Type FromBits(uint16_t bits) { return Type(Raw{bits}); }  \
    constexpr uint16_t bits() const { return bits_; }                          \
    operator float() const { return ToFloat(bits_); } /* NOLINT: lossless */   \
                                                                               \
    Type operator-() const {                                                   \
      return FromBits(static_cast<uint16_t>(bits_ ^ 0x8000u));                 \
    }                                                                          \
    friend Type operator+(Type a, Type b) {                                    \
      return Type(float(a) + float(b));                                        \
    }                                                                          \
    friend Type operator-(Type a, Type b) {                                    \
      return Type(float(a) - float(b));                                        \
    }                                                                          \
    friend Type operator*(Type a, Type b) {                                    \
      return Type(float(a) * float(b));                                        \
    }                                                                          \
    friend Type operator/(Type a, Type b) {                                    \
      return Type(float(a) / float(b));                                        \
    }                                                                          \
    friend Type NextBelow(Type x) { return FromBits(HalfBitsBelow(x.bits_)); } \
    Type& operator+=(Type b) { return *this = *this + b; }                     \
    Type& operator-=(Type b) { return *this = *this - b; }                     \
    Type& operator*=(Type b) { return *this = *this * b; }                     \
    Type& operator/=(Type b) { return *this = *this / b; }                     \
                                                                               \
   private:                                                                    \
    struct Raw {                                                               \
      uint16_t bits;                                                           \
    };                                                                         \
    explicit constexpr Type(Raw raw) : bits_(raw.bits) {}                      \
    uint16_t bits_;                                                            \
  };                                                                           \
  static_assert(sizeof(Type) == 2 && std::is_trivial<Type>::value,             \
                "tensors hold it as raw memory")

SY_HALF_TYPE(float16, Float16Bits, Float16ToFloat);
SY_HALF_TYPE(bfloat16, BFloat16Bits, BFloat16ToFloat);
#undef SY_HALF_TYPE

}  // namespace switchyard

namespace std {

template <>
class numeric_limits<switchyard::float16> {
  using T = switchyard::float16;

 public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool is_iec559 = true;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr bool has_infinity = true;
  static constexpr bool has_quiet_NaN = true;
  static constexpr bool has_signaling_NaN = true;
  static constexpr float_denorm_style has_denorm = denorm_present;
  static constexpr bool has_denorm_loss = false;
  static constexpr bool traps = false;
  static constexpr bool tinyness_before = false;
  static constexpr float_round_style round_style = round_to_nearest;
  static constexpr int radix = 2;
  static constexpr int digits = 11;
  static constexpr int digits10 = 3;
  static constexpr int max_digits10 = 5;
  static constexpr int min_exponent = -13;
  static constexpr int min_exponent10 = -4;
  static constexpr int max_exponent = 16;
  static constexpr int max_exponent10 = 4;
  static constexpr T min() { return T::FromBits(0x0400); }
  static constexpr T lowest() { return T::FromBits(0xfbff); }
  static constexpr T max() { return T::FromBits(0x7bff); }
  static constexpr T epsilon() { return T::FromBits(0x1400); }
  static constexpr T round_error() { return T::FromBits(0x3800); }
  static constexpr T infinity() { return T::FromBits(0x7c00); }
  static constexpr T quiet_NaN() { return T::FromBits(0x7e00); }
  static constexpr T signaling_NaN() { return T::FromBits(0x7d00); }
  static constexpr T denorm_min() { return T::FromBits(0x0001); }
};

template <>
class numeric_limits<switchyard::bfloat16> {
  using T = switchyard::bfloat16;

 public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool is_iec559 = false;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr bool has_infinity = true;
  static constexpr bool has_quiet_NaN = true;
  static constexpr bool has_signaling_NaN = true;
  static constexpr float_denorm_style has_denorm = denorm_present;
  static constexpr bool has_denorm_loss = false;
  static constexpr bool traps = false;
  static constexpr bool tinyness_before = false;
  static constexpr float_round_style round_style = round_to_nearest;
  static constexpr int radix = 2;
  static constexpr int digits = 8;
  static constexpr int digits10 = 2;
  static constexpr int max_digits10 = 4;
  static constexpr int min_exponent = -125;
  static constexpr int min_exponent10 = -37;
  static constexpr int max_exponent = 128;
  static constexpr int max_exponent10 = 38;
  static constexpr T min() { return T::FromBits(0x0080); }
  static constexpr T lowest() { return T::FromBits(0xff7f); }
  static constexpr T max() { return T::FromBits(0x7f7f); }
  static constexpr T epsilon() { return T::FromBits(0x3c00); }
  static constexpr T round_error() { return T::FromBits(0x3f00); }
  static constexpr T infinity() { return T::FromBits(0x7f80); }
  static constexpr T quiet_NaN() { return T::FromBits(0x7fc0); }
  static constexpr T signaling_NaN() { return T::FromBits(0x7fa0); }
  static constexpr T denorm_min() { return T::FromBits(0x0001); }
};

}  // namespace std

#endif  // SWITCHYARD_FRAMEWORK_TYPES_FLOAT16_H_
