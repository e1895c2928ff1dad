// SPDX-License-Identifier: Apache-2.0
// The vocabulary of functors. A functor is the arithmetic of an elementwise
// operator, written once for every device:
//   template <typename T>
//   struct Relu : Functor<1> {
//     template <class D, class V>
//     SY_FUNCTOR V operator()(D d, V x) const { return Max(x, Zero(d)); }
//   };
// T is the type that is computed in: float, double, int32_t or int64_t
// (narrower dtypes are widened to float or int32_t), or std::complex of float
// or double. V is a value of it: a Highway vector on the CPU (D is its tag),
// one number on a GPU, and one number everywhere if it is complex (D is
// OneNumber, and of the vocabulary there are Set and C++'s operators). The
// others offer Highway's vocabulary: Set(d, t), Zero(d), +, -, *, /, Max, Min,
// Abs, Neg, MulAdd, IfThenElse, comparisons that yield masks, and SquareRoot.
// The exponential and its like are in phi/kernels/functors/elementary.h. A
// functor with `kMask = true` returns a mask: its operator yields bool. One
// with `kOneByOne = true` is called with one number at a time whatever T is,
// one with `kOtherDtype = true` may yield another type than T. An operator's
// attributes are the arguments of its functor's constructor.
//
// The header has no ordinary guard: on the CPU it is read once for each
// instruction set (phi/kernels/cpu/simd/simd_targets.h), as are all functors.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_VALUE_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_VALUE_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_VALUE_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_VALUE_H_
#endif

#include <cstdint>
#include <type_traits>

#include "framework/types/data_type.h"
#include "hwy/highway.h"

#undef SY_FUNCTOR
#undef SY_FUNCTORS_BEGIN
#undef SY_FUNCTORS_END
#define SY_FUNCTOR HWY_INLINE
#define SY_FUNCTORS_BEGIN              \
  HWY_BEFORE_NAMESPACE();              \
  namespace switchyard::phi::kernels { \
  namespace HWY_NAMESPACE {
#define SY_FUNCTORS_END \
  }                     \
  }                     \
  HWY_AFTER_NAMESPACE();

SY_FUNCTORS_BEGIN

// The base of functors: says how many inputs one takes, and whether it returns
// a mask.
template <int inputs, bool mask = false>
struct Functor {
  static constexpr int kInputs = inputs;
  static constexpr bool kMask = mask;
  // The input whose integers must not be 0, if there is one.
  static constexpr int kNonzero = -1;
  // Called with one number at a time.
  static constexpr bool kOneByOne = false;
  // The result may be of another type than the inputs.
  static constexpr bool kOtherDtype = false;
};

// The tag of one number, where values are no vectors.
struct OneNumber {};
template <typename T>
SY_FUNCTOR T Set(OneNumber, T value) {
  return value;
}

// Highway's Sqrt, under a name that a functor can't hide.
template <class V>
SY_FUNCTOR V SquareRoot(V x) {
  return hwy::HWY_NAMESPACE::Sqrt(x);
}

// Its Floor and Ceil, likewise.
template <class V>
SY_FUNCTOR V RoundDown(V x) {
  return hwy::HWY_NAMESPACE::Floor(x);
}
template <class V>
SY_FUNCTOR V RoundUp(V x) {
  return hwy::HWY_NAMESPACE::Ceil(x);
}

// x <= y, which Highway has of floating numbers only.
template <class V>
SY_FUNCTOR auto AtMost(V x, V y) {
  namespace hn = hwy::HWY_NAMESPACE;
  if constexpr (std::is_floating_point_v<hn::TFromV<V>>) {
    return hn::Le(x, y);
  } else {
    return hn::Not(hn::Lt(y, x));
  }
}

// True where x is not 0; NaN is true.
template <class D, class V>
SY_FUNCTOR auto IsTrue(D d, V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  return hn::Not(hn::Eq(x, hn::Zero(d)));
}

SY_FUNCTORS_END

#endif  // per target
