// SPDX-License-Identifier: Apache-2.0
// What functors are written in. A functor is the arithmetic of an elementwise
// operator, written once for every device:
//   template <typename T>
//   struct Relu {
//     static constexpr int kInputs = 1;
//     explicit Relu(absl::Span<const AttrRef>) {}
//     template <class D, class V>
//     SY_FUNCTOR V operator()(D d, V x) const { return Max(x, Zero(d)); }
//   };
// T is the element type. V is a value of it: a Highway vector on the CPU (D is
// its tag), one number on a GPU. Both offer Highway's vocabulary: Set(d, t),
// Zero(d), +, -, *, /, Max, Min, Abs, Neg, MulAdd, IfThenElse,
// comparisons that yield masks, and SquareRoot. The exponential and its kin are
// in phi/kernels/functors/elementary.h. A functor with `kMask = true` returns a
// mask: its operator yields bool.
//
// The header has no ordinary guard: on the CPU it is read once for each
// instruction set (phi/kernels/cpu/simd_targets.h), as are all functors.
#if defined(SWITCHYARD_PHI_KERNELS_FUNCTORS_VALUE_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_FUNCTORS_VALUE_H_
#undef SWITCHYARD_PHI_KERNELS_FUNCTORS_VALUE_H_
#else
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_VALUE_H_
#endif

#include <cstdint>
#include <type_traits>

#include "absl/types/span.h"
#include "framework/types/attribute.h"
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

// The lane that holds an element: bool is stored as a byte.
template <typename T>
using LaneOf = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;

// Highway's Sqrt, under a name that a functor can't hide.
template <class V>
SY_FUNCTOR V SquareRoot(V x) {
  return hwy::HWY_NAMESPACE::Sqrt(x);
}

SY_FUNCTORS_END

#endif  // per target
