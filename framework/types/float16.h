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

namespace internal {

// The numeric limits of a type of 16 bits: a sign, an exponent biased by
// kMaxExponent - 1, and kDigits - 1 bits after the point.
template <typename T, int kDigits, int kMaxExponent>
class HalfLimits {
  static constexpr int kPoint = kDigits - 1;
  static constexpr int kInfinity = 0x7fff >> kPoint << kPoint;
  // 2^exponent.
  static constexpr T Power(int exponent) {
    return FromBits((kMaxExponent - 1 + exponent) << kPoint);
  }
  static constexpr T FromBits(int bits) {
    return T::FromBits(static_cast<uint16_t>(bits));
  }
  // log10(2) of them.
  static constexpr int Decimal(int bits) { return bits * 30103 / 100000; }

 public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool is_iec559 = kDigits == 11;  // binary16
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr bool has_infinity = true;
  static constexpr bool has_quiet_NaN = true;
  static constexpr bool has_signaling_NaN = true;
  static constexpr std::float_denorm_style has_denorm = std::denorm_present;
  static constexpr bool has_denorm_loss = false;
  static constexpr bool traps = false;
  static constexpr bool tinyness_before = false;
  static constexpr std::float_round_style round_style = std::round_to_nearest;
  static constexpr int radix = 2;
  static constexpr int digits = kDigits;
  static constexpr int digits10 = Decimal(kDigits - 1);
  static constexpr int max_digits10 = 2 + Decimal(kDigits);
  static constexpr int min_exponent = 3 - kMaxExponent;
  static constexpr int min_exponent10 = Decimal(min_exponent - 1);
  static constexpr int max_exponent = kMaxExponent;
  static constexpr int max_exponent10 = Decimal(kMaxExponent);
  static constexpr T min() { return FromBits(1 << kPoint); }
  static constexpr T lowest() { return FromBits(0x8000 | (kInfinity - 1)); }
  static constexpr T max() { return FromBits(kInfinity - 1); }
  static constexpr T epsilon() { return Power(-kPoint); }
  static constexpr T round_error() { return Power(-1); }
  static constexpr T infinity() { return FromBits(kInfinity); }
  static constexpr T quiet_NaN() {
    return FromBits(kInfinity | 1 << (kPoint - 1));
  }
  static constexpr T signaling_NaN() {
    return FromBits(kInfinity | 1 << (kPoint - 2));
  }
  static constexpr T denorm_min() { return FromBits(1); }
};

}  // namespace internal
}  // namespace switchyard

namespace std {

template <>
class numeric_limits<switchyard::float16>
    : public switchyard::internal::HalfLimits<switchyard::float16, 11, 16> {};
template <>
class numeric_limits<switchyard::bfloat16>
    : public switchyard::internal::HalfLimits<switchyard::bfloat16, 8, 128> {};

}  // namespace std

#endif  // SWITCHYARD_FRAMEWORK_TYPES_FLOAT16_H_
