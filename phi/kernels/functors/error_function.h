// SPDX-License-Identifier: Apache-2.0
// The error function and the distribution function of the normal distribution,
// of float and double vectors: within 2 and, in its tails too, within some 6
// units in the last place for float. The rest of the vocabulary is in value.h
// and elementary.h.
//
// Near 0, erf(x) = x + x P(x^2). Elsewhere by the scaled complement
//   erfc(a) = exp(-a^2) G(t) / (1 + 2 a), t = (a - 15/4) / (a + 15/4),
// in which G is smooth for all a >= 0 (the form of M. Shepherd and J.
// Laframboise, Mathematics of Computation 36, 1981). P and G are interpolated
// at Chebyshev's nodes, computed with 50 digits: P to 1e-9 and 1e-19, G to 1e-9
// and 2e-17.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_ERROR_FUNCTION_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_ERROR_FUNCTION_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_ERROR_FUNCTION_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_ERROR_FUNCTION_H_
#endif

#include "phi/kernels/functors/elementary.h"
#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

template <typename T>
struct ErrorSeries;
template <>
struct ErrorSeries<float> {
  static constexpr float kErfOne = 4;        // erf rounds to 1 from here,
  static constexpr float kErfcZero = 10.5f;  // erfc to 0.
  // P.
  template <class D, class V>
  static SY_FUNCTOR V NearZero(D d, V square) {
    return Horner(d, square, 0.1283791658f, -0.3761262667f, 0.1128359472f,
                  -0.02685421201f, 0.005189087423f, -0.0008016864287f,
                  7.875875063e-5f);
  }
  // G(0) and (G(t) - G(0)) / t.
  static constexpr double kScaledMiddle = 1.23751263083782758;
  template <class D, class V>
  static SY_FUNCTOR V ScaledSlope(D d, V t) {
    return Horner(d, t, -0.1402405862f, 0.003585448352f, 0.08227611895f,
                  -0.1088049803f, 0.09231255166f, -0.05867899806f,
                  0.02832323999f, -0.009831384625f, 0.001800265623f,
                  0.0004767790961f, -0.0002120961304f);
  }
};
template <>
struct ErrorSeries<double> {
  static constexpr double kErfOne = 6;
  static constexpr double kErfcZero = 27.5;
  static constexpr double kScaledMiddle = 1.23751263083782758;
  template <class D, class V>
  static SY_FUNCTOR V NearZero(D d, V square) {
    return Horner(d, square, 0.128379167095512574, -0.376126389031837481,
                  0.112837916709548787, -0.0268661706450767932,
                  0.00522397762481801447, -0.000854832698083378991,
                  0.000120553311116427109, -0.0000149255952668311816,
                  1.6461000484121368e-6, -1.6350312701054695e-7,
                  1.46597752740474358e-8, -1.13728488567916737e-9,
                  5.9571761477489114e-11);
  }
  template <class D, class V>
  static SY_FUNCTOR V ScaledSlope(D d, V t) {
    return Horner(d, t, -0.14024059858554669, 0.00358541548546353586,
                  0.0822767384901129617, -0.108803930141698766,
                  0.0923043211615067385, -0.0586933985906061249,
                  0.0283622774007073495, -0.00974657955012906474,
                  0.00175562601631940307, 0.000293713645197945544,
                  -0.000290154968729754158, 0.000051648995064347805,
                  0.0000223872991471177169, -0.0000114431823447386728,
                  -9.80313074712995968e-7, 1.74837724487491531e-6,
                  -4.78819525792505673e-8, -2.52778119640079431e-7,
                  1.57287347089609647e-8, 3.28519050474490459e-8,
                  -7.72723576797986698e-10, -2.37530404761867426e-9);
  }
};

// G(t) / (1 + 2 a) = exp(a^2) erfc(a), for a in [0, kErfcZero].
template <class D, class V>
SY_FUNCTOR V ScaledComplement(D d, V a) {
  namespace hn = hwy::HWY_NAMESPACE;
  using T = hn::TFromD<D>;
  const V k = hn::Set(d, T(3.75));
  const V t = hn::Div(hn::Sub(a, k), hn::Add(a, k));
  const V g = hn::MulAdd(ErrorSeries<T>::ScaledSlope(d, t), t,
                         hn::Set(d, T(ErrorSeries<T>::kScaledMiddle)));
  return hn::Div(g, hn::Add(hn::Add(a, a), hn::Set(d, T(1))));
}

template <class D, class V>
SY_FUNCTOR V ErrorFunction(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, T(1));
  const V a = hn::Min(hn::Abs(x), hn::Set(d, ErrorSeries<T>::kErfOne));
  const V square = hn::Mul(a, a);
  const V near = hn::MulAdd(a, ErrorSeries<T>::NearZero(d, square), a);
  const V exp = Exponential(d, hn::Neg(square));
  const V far = hn::Sub(one, hn::Mul(exp, ScaledComplement(d, a)));
  const V erf = hn::IfThenElse(hn::Lt(a, one), near, far);
  return hn::IfThenElse(hn::IsNaN(x), x, hn::CopySign(erf, x));
}

// exp(factor x^2) for a factor of -1 or -1/2, accurate for large x too: x is
// split into a part whose square is exact and a small rest. It is for x with
// -factor x^2 <= kErfcZero^2.
template <class D, class V>
SY_FUNCTOR V ExponentialOfSquare(D d, V factor, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  using T = hn::TFromD<D>;
  using F = FormatFor<D>;
  const hn::RebindToUnsigned<D> bits;
  const auto upper = hn::Set(bits, ~F::kLowerHalf);
  const V high = hn::BitCast(d, hn::And(hn::BitCast(bits, x), upper));
  const V rest = hn::Mul(hn::Mul(factor, hn::Sub(x, high)), hn::Add(x, high));
  const V main = Exponential(d, hn::Mul(hn::Mul(factor, high), high));
  return hn::Mul(
      main, Horner(d, rest, T(1), T(1), T(1.0 / 2), T(1.0 / 6), T(1.0 / 24)));
}

SY_FUNCTORS_END

#endif  // per target
