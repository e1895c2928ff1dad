// SPDX-License-Identifier: Apache-2.0
// gelu and its gradient. The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_GELU_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_GELU_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_GELU_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_GELU_H_
#endif

#include "phi/kernels/functors/elementary.h"
#include "phi/kernels/functors/error_function.h"
#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// The tail T(a) = erfc(a / sqrt(2)) / 2 of the normal distribution for a >= 0,
// in parts, so that what is made of it is rounded once: T(a) = power (1 + rest)
// (quotient + lost) and exp(-a^2 / 2) = power (1 + rest).
template <class V>
struct NormalTail {
  V half_power, other_half;  // The power in two factors, each in the range.
  V rest;
  V quotient, lost;
};

// From here on T rounds to 0, times a too.
template <typename T>
constexpr T kNormalLimit = T(ErrorSeries<T>::kErfcZero * 1.41421356);

// Returns the part of a product of `a` and `b` that rounding took, where the
// CPU has a fused multiplication; 0 where it has none.
template <class V>
SY_FUNCTOR V LostOfProduct(V a, V b, V product) {
  namespace hn = hwy::HWY_NAMESPACE;
  return hn::MulAdd(a, b, hn::Neg(product));
}

// For a in [0, kNormalLimit].
template <class D, class V>
SY_FUNCTOR NormalTail<V> NormalTailOf(D d, V a) {
  namespace hn = hwy::HWY_NAMESPACE;
  using T = hn::TFromD<D>;
  using F = FormatFor<D>;
  using Series = ErrorSeries<T>;
  NormalTail<V> tail;
  // -a^2 / 2 = square + small, of which square is exact, = n ln 2 + r.
  const hn::RebindToUnsigned<D> bits;
  const V high = hn::BitCast(
      d, hn::And(hn::BitCast(bits, a), hn::Set(bits, ~F::kLowerHalf)));
  const V minus_half = hn::Set(d, T(-0.5));
  const V square = hn::Mul(hn::Mul(minus_half, high), high);
  const V small =
      hn::Mul(hn::Mul(minus_half, hn::Sub(a, high)), hn::Add(a, high));
  const V n = hn::Round(
      hn::Mul(hn::Add(square, small), hn::Set(d, T(1.4426950408889634074))));
  const V far = hn::NegMulAdd(n, hn::Set(d, F::kLn2High), square);
  const V r = hn::Add(far, hn::NegMulAdd(n, hn::Set(d, F::kLn2Low), small));
  tail.rest = hn::MulAdd(hn::Mul(r, r), F::ExpSeries(d, r), r);
  const V half = hn::Round(hn::Mul(n, hn::Set(d, T(0.5))));
  tail.half_power = PowerOfTwo(d, half);
  tail.other_half = PowerOfTwo(d, hn::Sub(n, half));
  // G(t) / (2 + 2 sqrt(2) a), and what the three roundings took.
  const V k = hn::Set(d, T(3.75 * 1.41421356237309504880));
  const V one = hn::Set(d, T(1));
  const V v = hn::Div(hn::Add(a, a), hn::Add(a, k));
  const V t = hn::Sub(v, one);
  const V t_lost = hn::Sub(v, hn::Add(t, one));
  const V slope = Series::ScaledSlope(d, t);
  const V middle = hn::Set(d, T(Series::kScaledMiddle));
  const V g = hn::MulAdd(slope, t, middle);
  // G'(t) is about 1.63 t^4 where t has lost something.
  const V fourth = hn::Mul(hn::Mul(t, t), hn::Mul(t, t));
  V g_lost = hn::MulAdd(
      hn::Mul(t_lost, fourth), hn::Set(d, T(1.63)),
      hn::Set(d, T(Series::kScaledMiddle - T(Series::kScaledMiddle))));
  g_lost = hn::Add(g_lost, hn::MulAdd(slope, t, hn::Sub(middle, g)));
  const V two = hn::Set(d, T(2));
  const V root = hn::Set(d, T(2.82842712474619009760));
  const V below = hn::MulAdd(a, root, two);
  const V below_lost = hn::MulAdd(a, root, hn::Sub(two, below));
  tail.quotient = hn::Div(g, below);
  V lost = hn::NegMulAdd(tail.quotient, below, g);
  lost = hn::Add(lost, hn::NegMulAdd(tail.quotient, below_lost, g_lost));
  // 1 / below is quotient / g, and g is between 1 and 1.25.
  tail.lost = hn::Mul(lost, hn::Mul(tail.quotient, hn::Set(d, T(0.85))));
  return tail;
}

// factor T(a).
template <class V>
SY_FUNCTOR V TimesTail(V factor, const NormalTail<V>& tail) {
  namespace hn = hwy::HWY_NAMESPACE;
  const V product = hn::Mul(factor, tail.quotient);
  const V lost = hn::MulAdd(factor, tail.lost,
                            LostOfProduct(factor, tail.quotient, product));
  const V more = hn::MulAdd(lost, tail.rest, lost);
  const V whole = hn::Add(product, hn::MulAdd(product, tail.rest, more));
  return hn::Mul(hn::Mul(whole, tail.half_power), tail.other_half);
}

// exp(-u) = power (1 + rest) for u = 2 sqrt(2 / pi) (a + 0.044715 a^3), twice
// the argument of the tanh in gelu's approximation. What rounding took from u
// is put back.
template <class V>
struct TanhTail {
  V half_power, other_half;  // The power in two factors, each in the range.
  V rest;
  V whole;  // The exponential itself, which may be 0.
};

// From here on exp(-u) rounds to 0, times a too.
template <typename T>
constexpr T kTanhTailLimit = T(sizeof(T) == sizeof(float) ? 11 : 22);

// For a in [0, kTanhTailLimit].
template <class D, class V>
SY_FUNCTOR TanhTail<V> TanhTailOf(D d, V a) {
  namespace hn = hwy::HWY_NAMESPACE;
  using T = hn::TFromD<D>;
  using F = FormatFor<D>;
  constexpr double kRoot = 2 * 0.79788456080286535588;
  constexpr double kCubic = kRoot * 0.044715;
  // u = (root + cubic a^2) a.
  const V square = hn::Mul(a, a);
  const V square_lost = LostOfProduct(a, a, square);
  const V cubic = hn::Set(d, T(kCubic));
  const V term = hn::Mul(cubic, square);
  const V term_lost =
      hn::MulAdd(cubic, square_lost,
                 hn::MulAdd(square, hn::Set(d, T(kCubic - T(kCubic))),
                            LostOfProduct(cubic, square, term)));
  const V root = hn::Set(d, T(kRoot));
  const V factor = hn::Add(root, term);
  const V of_term = hn::Sub(factor, root);
  const V sum_lost =
      hn::Add(hn::Sub(root, hn::Sub(factor, of_term)), hn::Sub(term, of_term));
  const V factor_lost =
      hn::Add(hn::Add(sum_lost, term_lost), hn::Set(d, T(kRoot - T(kRoot))));
  const V u = hn::Mul(factor, a);
  const V u_lost = hn::MulAdd(factor_lost, a, LostOfProduct(factor, a, u));
  // -u = n ln 2 + r.
  const V n = hn::Round(hn::Mul(u, hn::Set(d, T(-1.4426950408889634074))));
  const V far = hn::NegMulAdd(n, hn::Set(d, F::kLn2High), hn::Neg(u));
  const V r = hn::Sub(far, hn::MulAdd(n, hn::Set(d, F::kLn2Low), u_lost));
  TanhTail<V> tail;
  tail.rest = hn::MulAdd(hn::Mul(r, r), F::ExpSeries(d, r), r);
  const V half = hn::Round(hn::Mul(n, hn::Set(d, T(0.5))));
  tail.half_power = PowerOfTwo(d, half);
  tail.other_half = PowerOfTwo(d, hn::Sub(n, half));
  tail.whole =
      hn::Mul(hn::Mul(hn::Add(hn::Set(d, T(1)), tail.rest), tail.half_power),
              tail.other_half);
  return tail;
}

// gelu(x) = x Phi(x) with the normal distribution Phi, or its approximation by
// tanh (D. Hendrycks, K. Gimpel, "Gaussian error linear units", 2016).

// x times the normal distribution's probability up to x, or the tanh formula
// for it: |x| times the tail, with a minus below 0 and taken from x above.
template <typename T>
class Gelu : public Functor<1> {
 public:
  explicit Gelu(bool approximate) : approximate_(approximate) {}

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    const V least = Set(d, approximate_ ? kTanhTailLimit<T> : kNormalLimit<T>);
    const V size = Min(Abs(x), least);
    const V tail =
        approximate_ ? ByTanh(d, size) : TimesTail(size, NormalTailOf(d, size));
    return IfThenElse(Lt(x, Zero(d)), Neg(tail), x - tail);
  }

 private:
  // a (1 - tanh) / 2 = a e / (1 + e) for the exponential e.
  template <class D, class V>
  SY_FUNCTOR V ByTanh(D d, V a) const {
    const TanhTail<V> tail = TanhTailOf(d, a);
    const V one = Set(d, T(1));
    const V sum = one + tail.whole;
    const V share = a / sum;
    // The part that both roundings took, times about 1 / sum.
    const V sum_lost = tail.whole - (sum - one);
    const V lost = MulAdd(Neg(share), sum, a) - share * sum_lost;
    const V inverse = MulAdd(tail.whole, Set(d, T(-0.49)), Set(d, T(0.97)));
    const V more = MulAdd(share, tail.rest, lost * inverse);
    return (share + more) * tail.half_power * tail.other_half;
  }

  bool approximate_;
};

// The gradient of gelu.
template <typename T>
class GeluGrad : public Functor<2> {
 public:
  explicit GeluGrad(bool approximate) : approximate_(approximate) {}

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x, V out_grad) const {
    return out_grad * (approximate_ ? Approximate(d, x) : Exact(d, x));
  }

 private:
  // Phi(x) + x phi(x): of x below 0 the tail without |x| phi(x), of others 1
  // less that.
  template <class D, class V>
  SY_FUNCTOR V Exact(D d, V x) const {
    const V size = Min(Abs(x), Set(d, kNormalLimit<T>));
    const NormalTail<V> tail = NormalTailOf(d, size);
    const V density = Set(d, T(0.39894228040143267794));
    const V low = Set(d, T(0.39894228040143267794 - T(0.39894228040143267794)));
    const V off = MulAdd(Neg(size), density, tail.quotient) +
                  MulAdd(Neg(size), low, tail.lost);
    const V whole =
        MulAdd(off, tail.rest, off) * tail.half_power * tail.other_half;
    const V slope = IfThenElse(Lt(x, Zero(d)), whole, Set(d, T(1)) - whole);
    return IfThenElse(IsNaN(x), x, slope);
  }
  // For the exponential e of |x| and f = 1 / (1 + e): e f (1 - |x| u' f) of x
  // below 0, of others 1 less that.
  template <class D, class V>
  SY_FUNCTOR V Approximate(D d, V x) const {
    const V one = Set(d, T(1));
    const V size = Min(Abs(x), Set(d, kTanhTailLimit<T>));
    const TanhTail<V> tail = TanhTailOf(d, size);
    const V sum = one + tail.whole;
    const V factor = one / sum;
    // The part that both roundings took from 1 / (1 + e).
    const V sum_lost = tail.whole - (sum - one);
    const V lost = factor * (MulAdd(Neg(factor), sum, one) - factor * sum_lost);
    const V root = Set(d, T(2 * 0.79788456080286535588));
    const V slope = MulAdd(Set(d, T(6 * 0.79788456080286535588 * 0.044715)),
                           size * size, root);
    const V steep = Neg(size * slope);
    const V off = MulAdd(steep, lost, MulAdd(steep, factor, one));
    const V share = MulAdd(off, lost, off * factor);
    const V whole =
        MulAdd(share, tail.rest, share) * tail.half_power * tail.other_half;
    const V found = IfThenElse(Lt(x, Zero(d)), whole, one - whole);
    return IfThenElse(IsNaN(x), x, found);
  }

  bool approximate_;
};

SY_FUNCTORS_END

#endif  // per target
