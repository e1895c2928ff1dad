// SPDX-License-Identifier: Apache-2.0
// Exponential, logarithm, hyperbolic tangent and logistic function of float and
// double vectors, for functors and reductions; within 2 units in the last place
// for float. Infinities and NaN give what C's library gives. The rest of the
// vocabulary is in value.h; the error function is in error_function.h, sine and
// cosine are in trigonometric.h.
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

// c + rest[0] x + rest[1] x^2 + ...
template <class D, class V, typename T>
SY_FUNCTOR V Horner(D d, V, T c) {
  return hwy::HWY_NAMESPACE::Set(d, c);
}
template <class D, class V, typename T, typename... Rest>
SY_FUNCTOR V Horner(D d, V x, T c, Rest... rest) {
  namespace hn = hwy::HWY_NAMESPACE;
  return hn::MulAdd(Horner(d, x, rest...), x, hn::Set(d, c));
}

// The constants that depend on the format of T.
template <typename T>
struct FormatOf;
template <>
struct FormatOf<float> {
  static constexpr int kMantissa = 23;
  static constexpr float kBias = 127;
  static constexpr float kMagic = 0x1p23f;  // Its last bit counts ones.
  // exp is infinite above and zero below.
  static constexpr float kExpHigh = 89, kExpLow = -105;
  static constexpr float kLn2High = 0x1.62e4p-1f, kLn2Low = 0x1.7f7d1cp-20f;
  static constexpr int kLogTerms = 4;
  static constexpr uint32_t kSqrtHalf = 0x3f3504f3, kOne = 0x3f800000;
  static constexpr float kTanhOne = 10;          // tanh rounds to 1 from here.
  static constexpr uint32_t kLowerHalf = 0xfff;  // Of the mantissa.
  // (exp(r) - 1 - r) / r^2 by Taylor: the rest is below 2^-27 for |r| < 0.35.
  template <class D, class V>
  static SY_FUNCTOR V ExpSeries(D d, V r) {
    return Horner(d, r, 1.f / 2, 1.f / 6, 1.f / 24, 1.f / 120, 1.f / 720,
                  1.f / 5040);
  }
};
template <>
struct FormatOf<double> {
  static constexpr int kMantissa = 52;
  static constexpr double kBias = 1023;
  static constexpr double kMagic = 0x1p52;
  static constexpr double kExpHigh = 710, kExpLow = -750;
  static constexpr double kLn2High = 0x1.62e42fee00000p-1;
  static constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
  static constexpr int kLogTerms = 10;
  static constexpr uint64_t kSqrtHalf = 0x3fe6a09e667f3bcd;
  static constexpr uint64_t kOne = 0x3ff0000000000000;
  static constexpr double kTanhOne = 20;
  static constexpr uint64_t kLowerHalf = 0x7ffffff;
  template <class D, class V>
  static SY_FUNCTOR V ExpSeries(D d, V r) {
    return Horner(d, r, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720,
                  1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800,
                  1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800.0);
  }
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
  const V low = hn::Mul(*n, hn::Set(d, F::kLn2Low));
  const V r = hn::Sub(high, low);
  const V lost = hn::Sub(hn::Sub(high, r), low);
  // r itself last: the sum is as good as r where it is small.
  return hn::Add(r, hn::MulAdd(hn::Mul(r, r), F::ExpSeries(d, r), lost));
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

// (e^2|x| - 1) / (e^2|x| + 1), with the sign of x; of small floats x + x^3
// P(x^2), which saves the quotient's rounding (P at Chebyshev's nodes, to
// 1e-9).
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
  V tanh = hn::Div(expm1, hn::Add(expm1, hn::Set(d, T(2))));
  if constexpr (sizeof(T) == sizeof(float)) {
    const V square = hn::Mul(magnitude, magnitude);
    const V series =
        Horner(d, square, -0.3333333323f, 0.1333331287f, -0.05396155178f,
               0.021788322f, -0.008410070802f, 0.00237076564f);
    const V near = hn::MulAdd(hn::Mul(magnitude, square), series, magnitude);
    tanh = hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, T(0.6))), near, tanh);
  }
  return hn::IfThenElse(hn::IsNaN(x), x, hn::CopySign(tanh, x));
}

// 1 / (1 + e^-x); below 0 as e^x / (1 + e^x), which does not overflow. What
// rounding took from the sum s is put back: n / (s + c) = q - q c / s.
template <class D, class V>
SY_FUNCTOR V Logistic(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const V one = hn::Set(d, hn::TFromD<D>(1));
  const auto negative = hn::Lt(x, hn::Zero(d));
  const V exp = Exponential(d, hn::Neg(hn::Abs(x)));
  const V sum = hn::Add(one, exp);
  const V lost = hn::Sub(exp, hn::Sub(sum, one));
  const V quotient = hn::Div(hn::IfThenElse(negative, exp, one), sum);
  const V inverse = hn::IfThenElse(negative, hn::Sub(one, quotient), quotient);
  return hn::NegMulAdd(quotient, hn::Mul(lost, inverse), quotient);
}

// log(1 + x) for x in [0, 1], accurate for small x too: what rounding took from
// 1 + x is put back by a quotient (D. Goldberg, ACM Computing Surveys 23,
// 1991).
template <class D, class V>
SY_FUNCTOR V LogarithmOfOnePlus(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const V one = hn::Set(d, hn::TFromD<D>(1));
  const V sum = hn::Add(one, x);
  const V rounded = hn::Sub(sum, one);
  const auto tiny = hn::Eq(rounded, hn::Zero(d));
  const V divisor = hn::IfThenElse(tiny, one, rounded);
  const V log = hn::Mul(Logarithm(d, sum), hn::Div(x, divisor));
  return hn::IfThenElse(tiny, x, log);
}

SY_FUNCTORS_END

#endif  // per target
