// SPDX-License-Identifier: Apache-2.0
// Scalar: one number of an operator's attributes. IntArray: a list of integers
// (a shape, axes).
#ifndef SWITCHYARD_FRAMEWORK_TYPES_SCALAR_H_
#define SWITCHYARD_FRAMEWORK_TYPES_SCALAR_H_

#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/types/span.h"
#include "framework/types/data_type.h"

namespace switchyard {

// One number of an operator's attributes that keeps its own kind: bool,
// integer, floating or complex. A plain value; 2 and 2.0 are not equal.
class Scalar {
 public:
  constexpr Scalar() : Scalar(0.0) {}
  constexpr Scalar(bool v) : kind_(Kind::kBool), int_(v) {}       // NOLINT
  constexpr Scalar(int v) : kind_(Kind::kInt), int_(v) {}         // NOLINT
  constexpr Scalar(int64_t v) : kind_(Kind::kInt), int_(v) {}     // NOLINT
  constexpr Scalar(float v) : Scalar(static_cast<double>(v)) {}   // NOLINT
  constexpr Scalar(double v) : kind_(Kind::kFloat), float_(v) {}  // NOLINT
  constexpr Scalar(std::complex<double> v)                        // NOLINT
      : kind_(Kind::kComplex), float_(v.real()), imag_(v.imag()) {}

  constexpr bool is_bool() const { return kind_ == Kind::kBool; }
  constexpr bool is_int() const { return kind_ == Kind::kInt; }
  constexpr bool is_float() const { return kind_ == Kind::kFloat; }
  constexpr bool is_complex() const { return kind_ == Kind::kComplex; }

  // Returns the number as T, converted as C++ converts it; saturates where a
  // floating number leaves an integer type (NaN gives 0), so that the result is
  // defined. float16 and bfloat16 (framework/types/float16.h) are rounded from
  // double. A complex number gives a real T its real part; operators refuse
  // it where that would lose something.
  template <typename T>
  T to() const;
  double ToDouble() const { return holds_float() ? float_ : double(int_); }
  int64_t ToInt64() const { return to<int64_t>(); }
  std::complex<double> ToComplex() const { return {ToDouble(), imag_}; }
  // The conjugate: the number itself unless it is complex.
  Scalar Conjugate() const {
    return is_complex() ? Scalar(std::conj(ToComplex())) : *this;
  }

  friend bool operator==(const Scalar& a, const Scalar& b) {
    return a.kind_ == b.kind_ &&
           (a.holds_float() ? a.float_ == b.float_ && a.imag_ == b.imag_
                            : a.int_ == b.int_);
  }

 private:
  enum class Kind : uint8_t { kBool, kInt, kFloat, kComplex };
  constexpr bool holds_float() const { return kind_ >= Kind::kFloat; }

  Kind kind_;
  union {
    int64_t int_;
    double float_;  // The real part of a complex number.
  };
  double imag_ = 0;
};

template <typename T>
T Scalar::to() const {
  if constexpr (std::is_same_v<T, bool>) {
    return holds_float() ? float_ != 0 || imag_ != 0 : int_ != 0;
  } else if constexpr (std::is_integral_v<T>) {
    if (!holds_float()) return static_cast<T>(int_);
    // 2^digits is exact as a double, where the greatest T need not be.
    constexpr int kDigits = std::numeric_limits<T>::digits;
    constexpr double kBound = 2.0 * static_cast<double>(T{1} << (kDigits - 1));
    if (float_ >= kBound) return std::numeric_limits<T>::max();
    constexpr T kLowest = std::numeric_limits<T>::min();
    if (float_ <= static_cast<double>(kLowest)) return kLowest;
    return float_ == float_ ? static_cast<T>(float_) : T{0};
  } else if constexpr (std::is_floating_point_v<T>) {
    return holds_float() ? static_cast<T>(float_) : static_cast<T>(int_);
  } else if constexpr (kIsComplex<T>) {
    using Part = typename T::value_type;
    return T(to<Part>(), static_cast<Part>(imag_));
  } else {
    return static_cast<T>(ToDouble());
  }
}

// Returns the shortest text that reads back as the same number of the same
// kind: "true", "3", "0.5", "3.0" for a floating 3, "complex(1.0, -0.5)".
std::string ToString(const Scalar& scalar);

// The values of an axis list or a shape. In a shape -1 means "infer", as in
// files.
using IntArray = absl::Span<const int64_t>;

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TYPES_SCALAR_H_
