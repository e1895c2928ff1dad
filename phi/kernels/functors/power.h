// SPDX-License-Identifier: Apache-2.0
// Powers and roots. The vocabulary is explained in value.h.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_POWER_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_POWER_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_POWER_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_POWER_H_
#endif

#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

#include "framework/types/scalar.h"
#include "phi/kernels/functors/lane_wise.h"
#include "phi/kernels/functors/value.h"

SY_FUNCTORS_BEGIN

// x to the power y of two numbers, for functors: elementwise_pow and pow.

// Integers wrap around; a negative power of one is 1 / x^-y rounded to nearest
// even: 0 except for x = 1 and x = -1 (0 to a negative power gives 0). Complex
// numbers go through C's library in double; x^0 is 1, as of real ones.
template <typename T>
SY_FUNCTOR T PowerOf(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::pow(x, y);
  } else if constexpr (kIsComplex<T>) {
    if (y == T(0)) return T(1);
    using Wide = std::complex<double>;
    return static_cast<T>(std::pow(Wide(x), Wide(y)));
  } else {
    using U = std::make_unsigned_t<T>;
    constexpr bool kSigned = std::is_signed_v<T>;
    if (kSigned && y < T(0) && x != T(1) && x != T(-1)) return 0;
    U power = 1;
    U square = static_cast<U>(x);
    for (U rest = kSigned && y < T(0) ? U(0) - static_cast<U>(y)
                                      : static_cast<U>(y);
         rest != 0; rest >>= 1) {
      if (rest & 1) power *= square;
      square *= square;
    }
    return static_cast<T>(power);
  }
}

// The exponent as T. One that T does not hold is one that it holds with the
// same powers: those of odd integers of w bits repeat after 2^(w - 2), those of
// even ones are 0 from w on, and negative ones depend on whether it is odd.
template <typename T>
T ExponentOf(const Scalar& y) {
  if constexpr (std::is_integral_v<T> && sizeof(T) < sizeof(int64_t)) {
    const int64_t exponent = y.to<int64_t>();
    constexpr int64_t kPeriod = int64_t{1} << (8 * sizeof(T) - 2);
    if (exponent > std::numeric_limits<T>::max()) {
      return static_cast<T>(exponent % kPeriod + kPeriod);
    }
    if (std::is_signed_v<T> && exponent < std::numeric_limits<T>::min()) {
      return static_cast<T>(exponent % 2 == 0 ? -2 : -1);
    }
  }
  return y.to<T>();
}

// x to the power of an attribute.
template <typename T>
class Pow : public Functor<1> {
 public:
  explicit Pow(const Scalar& y) : y_(ExponentOf<T>(y)) {}

  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    if (y_ == T(1)) return x;
    if (y_ == T(2)) return x * x;
    if constexpr (kIsComplex<T>) {
      return PowerOf(x, y_);
    } else {
      return LaneWise(d, PowerOf<T>, x, Set(d, y_));
    }
  }

 private:
  T y_;
};

// x to the power y.
template <typename T>
struct ElementwisePow : Functor<2> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x, V y) const {
    if constexpr (kIsComplex<T>) {
      return PowerOf(x, y);
    } else {
      return LaneWise(d, PowerOf<T>, x, y);
    }
  }
};

// x * x.
template <typename T>
struct Square : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D, V x) const {
    return x * x;
  }
};

// The square root; NaN below 0.
template <typename T>
struct Sqrt : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D, V x) const {
    if constexpr (kIsComplex<V>) {
      return static_cast<V>(std::sqrt(std::complex<double>(x)));
    } else {
      return SquareRoot(x);
    }
  }
};

// 1 / sqrt(x).
template <typename T>
struct Rsqrt : Functor<1> {
  template <class D, class V>
  SY_FUNCTOR V operator()(D d, V x) const {
    return Set(d, T(1)) / SquareRoot(x);
  }
};

SY_FUNCTORS_END

#endif  // per target
