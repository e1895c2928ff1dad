// SPDX-License-Identifier: Apache-2.0
// Exponential, logarithm, hyperbolic tangent, logistic and error function of
// float and double vectors, for functors and reductions; within 2 units in the
// last place for float, but for the error function: some 16 near +-1, so float
// kernels take it through double. Infinities and NaN give what C's library
// gives. The rest of the vocabulary is in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_ELEMENTARY_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_ELEMENTARY_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_ELEMENTARY_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_ELEMENTARY_H_
#endif

#include <limits>

#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// What depends on the format of T.
template <typename T>
struct FormatOf;
template <>
struct FormatOf<float> {
  static constexpr int kMantissa = 23;
  static constexpr float kBias = 127;
  static constexpr float kMagic = 0x1p23f;  // Its last bit counts ones.
  // exp is infinite above and zero below.
  static constexpr float kExpHigh = 89, kExpLow = -105;
  static constexpr int kExpTerms = 7;  // Taylor: below 2^-27 for |r| < 0.35.
  static constexpr float kLn2High = 0x1.62e4p-1f, kLn2Low = 0x1.7f7d1cp-20f;
  static constexpr int kLogTerms = 4;
  static constexpr uint32_t kSqrtHalf = 0x3f3504f3, kOne = 0x3f800000;
  static constexpr float kTanhOne = 10;  // tanh rounds to 1 from here.
  static constexpr float kErfOne = 4;    // erf does from here.
  static constexpr int kErfTerms = 60;
};
template <>
struct FormatOf<double> {
  static constexpr int kMantissa = 52;
  static constexpr double kBias = 1023;
  static constexpr double kMagic = 0x1p52;
  static constexpr double kExpHigh = 710, kExpLow = -750;
  static constexpr int kExpTerms = 13;
  static constexpr double kLn2High = 0x1.62e42fee00000p-1;
  static constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
  static constexpr int kLogTerms = 10;
  static constexpr uint64_t kSqrtHalf = 0x3fe6a09e667f3bcd;
  static constexpr uint64_t kOne = 0x3ff0000000000000;
  static constexpr double kTanhOne = 20;
  static constexpr double kErfOne = 6;
  static constexpr int kErfTerms = 130;
};

template <class D>
using FormatFor = FormatOf<hwy::HWY_NAMESPACE::TFromD<D>>;

// 2^n for integral n of a normal number's exponent.
template <class D, class V>
SY_FUNCTOR V PowerOfTwo(D d, V n) {
  namespace hn = hwy::HWY_NAMESPACE;
  using F = FormatFor<D>;
  const hn::RebindToUnsigned<D> bits;
  // Adding the magic number leaves n + bias in the low bits.
  const V biased = hn::Add(n, hn::Set(d, F::kMagic + F::kBias));
  return hn::BitCast(d, hn::ShiftLeft<F::kMantissa>(hn::BitCast(bits, biased)));
}

// x = n ln 2 + r with |r| <= ln 2 / 2. Returns exp(r) - 1, by Taylor's series.
template <class D, class V>
SY_FUNCTOR V ReducedExpm1(D d, V x, V* n) {
  namespace hn = hwy::HWY_NAMESPACE;
  using F = FormatFor<D>;
  using T = hn::TFromD<D>;
  *n = hn::Round(hn::Mul(x, hn::Set(d, T(1.4426950408889634074))));
  const V high = hn::NegMulAdd(*n, hn::Set(d, F::kLn2High), x);
  const V r = hn::NegMulAdd(*n, hn::Set(d, F::kLn2Low), high);
  double factorial = 1;
  for (int i = 2; i <= F::kExpTerms; ++i) factorial *= i;
  V sum = hn::Set(d, static_cast<T>(1 / factorial));
  for (int i = F::kExpTerms; i > 1; --i) {
    factorial /= i;
    sum = hn::MulAdd(sum, r, hn::Set(d, static_cast<T>(1 / factorial)));
  }
  return hn::Mul(sum, r);
}

template <class D, class V>
SY_FUNCTOR V Exponential(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  using F = FormatFor<D>;
  using T = hn::TFromD<D>;
  const V clamped =
      hn::Min(hn::Max(x, hn::Set(d, F::kExpLow)), hn::Set(d, F::kExpHigh));
  V n;
  const V expm1 = ReducedExpm1(d, clamped, &n);
  // In two steps, since 2^n itself may be out of range.
  const V half = hn::Round(hn::Mul(n, hn::Set(d, T(0.5))));
  const V scaled =
      hn::Mul(hn::Add(expm1, hn::Set(d, T(1))), PowerOfTwo(d, half));
  const V exp = hn::Mul(scaled, PowerOfTwo(d, hn::Sub(n, half)));
  return hn::IfThenElse(hn::IsNaN(x), x, exp);
}

// log(2^e (1 + f)) with sqrt(1/2) <= 1 + f < sqrt(2); log(1 + f) is the series
// of 2 atanh(s) for s = f / (2 + f), arranged so that f stays exact.
template <class D, class V>
SY_FUNCTOR V Logarithm(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  using F = FormatFor<D>;
  using T = hn::TFromD<D>;
  const hn::RebindToUnsigned<D> bits;
  const auto tiny = hn::Lt(x, hn::Set(d, std::numeric_limits<T>::min()));
  const V scale = hn::Set(d, F::kMagic * 2);
  const V normal = hn::IfThenElse(tiny, hn::Mul(x, scale), x);
  const auto shifted =
      hn::Add(hn::BitCast(bits, normal), hn::Set(bits, F::kOne - F::kSqrtHalf));
  const auto exponent = hn::ShiftRight<F::kMantissa>(shifted);
  const V magic = hn::Set(d, F::kMagic);
  V e = hn::Sub(hn::BitCast(d, hn::Or(exponent, hn::BitCast(bits, magic))),
                hn::Set(d, F::kMagic + F::kBias));
  e = hn::Sub(e, hn::IfThenElseZero(tiny, hn::Set(d, T(F::kMantissa + 1))));
  const auto fraction = hn::Sub(shifted, hn::ShiftLeft<F::kMantissa>(exponent));
  const V m = hn::BitCast(d, hn::Add(fraction, hn::Set(bits, F::kSqrtHalf)));
  const V f = hn::Sub(m, hn::Set(d, T(1)));
  const V s = hn::Div(f, hn::Add(f, hn::Set(d, T(2))));
  const V z = hn::Mul(s, s);
  V series = hn::Set(d, T(2.0 / (2 * F::kLogTerms + 1)));
  for (int i = F::kLogTerms - 1; i >= 1; --i) {
    series = hn::MulAdd(series, z, hn::Set(d, T(2.0 / (2 * i + 1))));
  }
  series = hn::Mul(series, z);
  const V half_square = hn::Mul(hn::Mul(f, f), hn::Set(d, T(0.5)));
  const V low = hn::MulAdd(s, hn::Add(half_square, series),
                           hn::Mul(e, hn::Set(d, F::kLn2Low)));
  const V log = hn::MulAdd(e, hn::Set(d, F::kLn2High),
                           hn::Sub(f, hn::Sub(half_square, low)));
  const V infinity = hn::Set(d, std::numeric_limits<T>::infinity());
  const V not_a_number = hn::Set(d, std::numeric_limits<T>::quiet_NaN());
  V result = hn::IfThenElse(hn::Eq(x, infinity), x, log);
  result = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::Neg(infinity), result);
  result = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), not_a_number, result);
  return hn::IfThenElse(hn::IsNaN(x), x, result);
}

// (e^2|x| - 1) / (e^2|x| + 1), with the sign of x.
template <class D, class V>
SY_FUNCTOR V HyperbolicTangent(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  using F = FormatFor<D>;
  using T = hn::TFromD<D>;
  const V magnitude = hn::Min(hn::Abs(x), hn::Set(d, F::kTanhOne));
  V n;
  const V reduced = ReducedExpm1(d, hn::Add(magnitude, magnitude), &n);
  const V power = PowerOfTwo(d, n);
  const V expm1 = hn::MulAdd(power, reduced, hn::Sub(power, hn::Set(d, T(1))));
  const V tanh = hn::Div(expm1, hn::Add(expm1, hn::Set(d, T(2))));
  return hn::IfThenElse(hn::IsNaN(x), x, hn::CopySign(tanh, x));
}

// 1 / (1 + e^-x); below 0 as e^x / (1 + e^x), which does not overflow.
template <class D, class V>
SY_FUNCTOR V Logistic(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const V one = hn::Set(d, hn::TFromD<D>(1));
  const V exp = Exponential(d, hn::Neg(hn::Abs(x)));
  const V numerator = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), exp, one);
  return hn::Div(numerator, hn::Add(one, exp));
}

// 2 / sqrt(pi) e^(-x^2) sum of 2^n x^(2n + 1) / (2n + 1)!! (Abramowitz and
// Stegun, 7.1.6), whose terms have one sign.
template <class D, class V>
SY_FUNCTOR V ErrorFunction(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  using F = FormatFor<D>;
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, T(1));
  const V a = hn::Min(hn::Abs(x), hn::Set(d, F::kErfOne));
  const V square = hn::Mul(a, a);
  const V twice = hn::Add(square, square);
  V sum = one;
  for (int n = F::kErfTerms; n >= 1; --n) {
    const V step = hn::Mul(twice, hn::Set(d, T(1.0 / (2 * n + 1))));
    sum = hn::MulAdd(sum, step, one);
  }
  // What rounding took from the square is large in the exponent.
  const V lost = hn::MulSub(a, a, square);
  const V exp = hn::Mul(Exponential(d, hn::Neg(square)), hn::Sub(one, lost));
  const V scaled = hn::Mul(a, hn::Set(d, T(1.1283791670955125739)));
  const V erf = hn::Min(hn::Mul(scaled, hn::Mul(exp, sum)), one);
  const V full = hn::IfThenElse(hn::Ge(a, hn::Set(d, F::kErfOne)), one, erf);
  return hn::IfThenElse(hn::IsNaN(x), x, hn::CopySign(full, x));
}

SY_FUNCTORS_END

#endif  // per target
