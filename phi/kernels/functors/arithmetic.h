// SPDX-License-Identifier: Apache-2.0
// Sums, products and quotients. The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_ARITHMETIC_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_ARITHMETIC_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_ARITHMETIC_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_ARITHMETIC_H_
#endif

#include <type_traits>

#include "framework/types/scalar.h"
#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// x + y.
template <typename T>
struct Add : Functor<2> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D, V x, V y) const {
    return x + y;
  }
};

// x - y.
template <typename T>
struct Subtract : Functor<2> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D, V x, V y) const {
    return x - y;
  }
};

// x * y.
template <typename T>
struct Multiply : Functor<2> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D, V x, V y) const {
    if constexpr (kIsComplex<V>) {
      // As written in mathematics: std::complex takes NaNs for infinities that
      // must be found again, by a call.
      return V(x.real() * y.real() - x.imag() * y.imag(),
               x.real() * y.imag() + x.imag() * y.real());
    } else {
      return x * y;
    }
  }
};

// x / y.
template <typename T>
struct Divide : Functor<2> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D, V x, V y) const {
    return x / y;
  }
};

// -x; the least integer stays itself.
template <typename T>
struct Negative : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    if constexpr (kIsComplex<V>) {
      return V(-x.real(), -x.imag());
    } else if constexpr (std::is_floating_point_v<T>) {
      return Neg(x);
    } else {
      return Zero(d) - x;
    }
  }
};

// 1 / x.
template <typename T>
struct Reciprocal : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    return Set(d, T(1)) / x;
  }
};

// scale * x + bias, or scale * (x + bias).
template <typename T>
class Scale : public Functor<1> {
 public:
  Scale(const Scalar& scale, const Scalar& bias, bool bias_after_scale)
      : scale_(scale.to<T>()),
        bias_(bias.to<T>()),
        bias_after_scale_(bias_after_scale) {}

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    const V scale = Set(d, scale_);
    const V bias = Set(d, bias_);
    return bias_after_scale_ ? scale * x + bias : scale * (x + bias);
  }

 private:
  T scale_;
  T bias_;
  bool bias_after_scale_;
};

SY_FUNCTORS_END

#endif  // per target
