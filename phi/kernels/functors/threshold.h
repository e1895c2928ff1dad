// SPDX-License-Identifier: Apache-2.0
// Activations that compare with a threshold; NaN stays NaN. The vocabulary is
// explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_THRESHOLD_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_THRESHOLD_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_THRESHOLD_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_THRESHOLD_H_
#endif

#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// x moved toward 0 by a threshold, but not beyond 0.
template <typename T>
class Softshrink : public Functor<1> {
 public:
  explicit Softshrink(double threshold)
      : threshold_(static_cast<T>(threshold)) {}

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    const V threshold = Set(d, threshold_);
    return IfThenElse(AtMost(Abs(x), threshold), Zero(d),
                      x - CopySign(threshold, x));
  }

 private:
  T threshold_;
};

// x where |x| is above a threshold, else 0.
template <typename T>
class Hardshrink : public Functor<1> {
 public:
  explicit Hardshrink(double threshold)
      : threshold_(static_cast<T>(threshold)) {}

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    return IfThenElse(AtMost(Abs(x), Set(d, threshold_)), Zero(d), x);
  }

 private:
  T threshold_;
};

// x where it is above a threshold, else a value.
template <typename T>
class ThresholdedRelu : public Functor<1> {
 public:
  ThresholdedRelu(double threshold, double value)
      : threshold_(static_cast<T>(threshold)), value_(static_cast<T>(value)) {}

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    return IfThenElse(AtMost(x, Set(d, threshold_)), Set(d, value_), x);
  }

 private:
  T threshold_;
  T value_;
};

SY_FUNCTORS_END

#endif  // per target
