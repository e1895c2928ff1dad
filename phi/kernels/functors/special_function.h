// SPDX-License-Identifier: Apache-2.0
// Functors over phi/kernels/functors/special_value.h, lane by lane in double.
// The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_SPECIAL_FUNCTION_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_SPECIAL_FUNCTION_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_SPECIAL_FUNCTION_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_SPECIAL_FUNCTION_H_
#endif

#include <limits>

#include "phi/kernels/functors/lane_wise.h"
#include "phi/kernels/functors/special_value.h"
#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// The number whose error function is x.
template <typename T>
struct Erfinv : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    return LaneWise(
        d, [](double v) { return static_cast<T>(InverseErf(v)); }, x);
  }
};

// log(x / (1 - x)), x limited to [eps, 1 - eps] where eps is above 0.
template <typename T>
class Logit : public Functor<1> {
 public:
  explicit Logit(double eps) : eps_(eps) {}

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    const double low =
        eps_ > 0 ? eps_ : -std::numeric_limits<double>::infinity();
    const double high = 1 - low;
    return LaneWise(
        d,
        [=](double v) {
          return static_cast<T>(LogOdds(v < low ? low : v > high ? high : v));
        },
        x);
  }

 private:
  double eps_;
};

// The logarithm of |gamma(x)|.
template <typename T>
struct Lgamma : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    return LaneWise(
        d, [](double v) { return static_cast<T>(LogGamma(v)); }, x);
  }
};

// The derivative of the logarithm of gamma(x).
template <typename T>
struct Digamma : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    return LaneWise(
        d, [](double v) { return static_cast<T>(kernels::Digamma(v)); }, x);
  }
};

// The gradient of digamma: g trigamma(x).
template <typename T>
struct DigammaGrad : Functor<2> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x, V out_grad) const {
    const V slope = LaneWise(
        d, [](double v) { return static_cast<T>(Trigamma(v)); }, x);
    return out_grad * slope;
  }
};

// The modified Bessel function of the first kind, order 0.
template <typename T>
struct I0 : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    return LaneWise(
        d, [](double v) { return static_cast<T>(BesselI0(v)); }, x);
  }
};

// I0 times exp(-|x|).
template <typename T>
struct I0e : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    return LaneWise(
        d, [](double v) { return static_cast<T>(BesselI0e(v)); }, x);
  }
};

// The modified Bessel function of the first kind, order 1.
template <typename T>
struct I1 : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    return LaneWise(
        d, [](double v) { return static_cast<T>(BesselI1(v)); }, x);
  }
};

// I1 times exp(-|x|).
template <typename T>
struct I1e : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    return LaneWise(
        d, [](double v) { return static_cast<T>(BesselI1e(v)); }, x);
  }
};

// The gradient of I0e, whose terms cancel for large x.
template <typename T>
struct I0eGrad : Functor<3> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x, V, V out_grad) const {
    const V slope = LaneWise(
        d, [](double v) { return static_cast<T>(BesselI0eSlope(v)); }, x);
    return out_grad * slope;
  }
};

// The gradient of I1e, likewise.
template <typename T>
struct I1eGrad : Functor<3> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x, V, V out_grad) const {
    const V slope = LaneWise(
        d, [](double v) { return static_cast<T>(BesselI1eSlope(v)); }, x);
    return out_grad * slope;
  }
};

SY_FUNCTORS_END

#endif  // per target
