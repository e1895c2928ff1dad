// SPDX-License-Identifier: Apache-2.0
// The vocabulary of functors for one number a thread: it takes the place of
// phi/kernels/functors/value.h and lane_wise.h and of Highway's own headers,
// whose guards it sets, and is included before any functor. Functors then stand
// in this backend's namespace.
//
// nvcc compiles functors for the device. Any other compiler reads the same
// text as ordinary functions: so tests run kernels on the host
// (on_host_test.cc).
#ifndef SWITCHYARD_PHI_KERNELS_GPU_VALUE_CUH_
#define SWITCHYARD_PHI_KERNELS_GPU_VALUE_CUH_

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "cuda_runtime.h"
#include "framework/types/data_type.h"

#define SWITCHYARD_PHI_KERNELS_FUNCTORS_VALUE_H_
#define SWITCHYARD_PHI_KERNELS_FUNCTORS_LANE_WISE_H_
#define HIGHWAY_HWY_CONTRIB_MATH_MATH_INL_H_
#define HWY_NAMESPACE one_number
#define HWY_LIKELY(condition) (condition)
#define HWY_UNLIKELY(condition) (condition)

#ifdef __CUDACC__
#define SY_FUNCTOR __device__ __forceinline__
#else
#define SY_FUNCTOR inline
#endif
#define SY_FUNCTORS_BEGIN namespace switchyard::phi::kernels::gpu {
#define SY_FUNCTORS_END }

// What functors use of Highway, under its names. A vector is one number, a mask
// is a bool; a tag says the number's type.
namespace hwy::HWY_NAMESPACE {

template <typename T>
struct ScalarTag {
  using Type = T;
};
template <class D>
using TFromD = typename D::Type;
template <class D>
using RebindToUnsigned =
    ScalarTag<std::conditional_t<sizeof(TFromD<D>) == 8, uint64_t, uint32_t>>;

template <class D>
SY_FUNCTOR TFromD<D> Set(D, TFromD<D> v) {
  return v;
}
template <class D>
SY_FUNCTOR TFromD<D> Zero(D) {
  return TFromD<D>{0};
}
template <class D, typename From>
SY_FUNCTOR TFromD<D> BitCast(D, From v) {
  static_assert(sizeof(TFromD<D>) == sizeof(From), "of one size");
  TFromD<D> bits;
  memcpy(&bits, &v, sizeof(v));
  return bits;
}

template <typename V>
SY_FUNCTOR V Add(V a, V b) {
  return a + b;
}
template <typename V>
SY_FUNCTOR V Sub(V a, V b) {
  return a - b;
}
template <typename V>
SY_FUNCTOR V Mul(V a, V b) {
  return a * b;
}
template <typename V>
SY_FUNCTOR V Div(V a, V b) {
  return a / b;
}
template <typename V>
SY_FUNCTOR V Neg(V a) {
  return -a;
}
// a * b + c and c - a * b, rounded once.
template <typename V>
SY_FUNCTOR V MulAdd(V a, V b, V c) {
  return std::fma(a, b, c);
}
template <typename V>
SY_FUNCTOR V NegMulAdd(V a, V b, V c) {
  return std::fma(-a, b, c);
}

template <typename V>
SY_FUNCTOR bool Eq(V a, V b) {
  return a == b;
}
template <typename V>
SY_FUNCTOR bool Lt(V a, V b) {
  return a < b;
}
template <typename V>
SY_FUNCTOR bool Le(V a, V b) {
  return a <= b;
}
template <typename V>
SY_FUNCTOR bool Gt(V a, V b) {
  return a > b;
}
template <typename V>
SY_FUNCTOR bool Ge(V a, V b) {
  return a >= b;
}
template <typename V>
SY_FUNCTOR bool IsNaN(V a) {
  return a != a;
}
SY_FUNCTOR bool Not(bool mask) { return !mask; }
// Of masks and of bits.
template <typename V>
SY_FUNCTOR V And(V a, V b) {
  return static_cast<V>(a & b);
}
template <typename V>
SY_FUNCTOR V Or(V a, V b) {
  return static_cast<V>(a | b);
}
template <typename V>
SY_FUNCTOR V Xor(V a, V b) {
  return static_cast<V>(a ^ b);
}
template <int bits, typename V>
SY_FUNCTOR V ShiftLeft(V a) {
  return a << bits;
}
template <int bits, typename V>
SY_FUNCTOR V ShiftRight(V a) {
  return a >> bits;
}
template <typename V>
SY_FUNCTOR V IfThenElse(bool mask, V yes, V no) {
  return mask ? yes : no;
}
template <typename V>
SY_FUNCTOR V IfThenElseZero(bool mask, V yes) {
  return mask ? yes : V{0};
}
template <class D>
SY_FUNCTOR bool AllFalse(D, bool mask) {
  return !mask;
}

template <typename V>
SY_FUNCTOR V Min(V a, V b) {
  return b < a ? b : a;
}
template <typename V>
SY_FUNCTOR V Max(V a, V b) {
  return a < b ? b : a;
}
template <typename V>
SY_FUNCTOR V Abs(V a) {
  return std::fabs(a);
}
template <typename V>
SY_FUNCTOR V CopySign(V a, V sign) {
  return std::copysign(a, sign);
}
template <typename V>
SY_FUNCTOR V Sqrt(V a) {
  return std::sqrt(a);
}
template <typename V>
SY_FUNCTOR V Floor(V a) {
  return std::floor(a);
}
template <typename V>
SY_FUNCTOR V Ceil(V a) {
  return std::ceil(a);
}
// To nearest, halves to even.
template <typename V>
SY_FUNCTOR V Round(V a) {
  return std::rint(a);
}
template <class D, typename V>
SY_FUNCTOR V Acos(D, V a) {
  return std::acos(a);
}
template <class D, typename V>
SY_FUNCTOR V Asin(D, V a) {
  return std::asin(a);
}
template <class D, typename V>
SY_FUNCTOR V Atan(D, V a) {
  return std::atan(a);
}
template <class D, typename V>
SY_FUNCTOR V Acosh(D, V a) {
  return std::acosh(a);
}
template <class D, typename V>
SY_FUNCTOR V Asinh(D, V a) {
  return std::asinh(a);
}
template <class D, typename V>
SY_FUNCTOR V Atanh(D, V a) {
  return std::atanh(a);
}

}  // namespace hwy::HWY_NAMESPACE

SY_FUNCTORS_BEGIN

// A functor finds the words of Highway here where the number brings no
// namespace along. One whose name is also a functor's is not among them.
using hwy::HWY_NAMESPACE::Abs;
using hwy::HWY_NAMESPACE::And;
using hwy::HWY_NAMESPACE::CopySign;
using hwy::HWY_NAMESPACE::Gt;
using hwy::HWY_NAMESPACE::IfThenElse;
using hwy::HWY_NAMESPACE::IfThenElseZero;
using hwy::HWY_NAMESPACE::IsNaN;
using hwy::HWY_NAMESPACE::Le;
using hwy::HWY_NAMESPACE::Lt;
using hwy::HWY_NAMESPACE::Max;
using hwy::HWY_NAMESPACE::Min;
using hwy::HWY_NAMESPACE::Mul;
using hwy::HWY_NAMESPACE::MulAdd;
using hwy::HWY_NAMESPACE::Neg;
using hwy::HWY_NAMESPACE::Not;
using hwy::HWY_NAMESPACE::Or;
using hwy::HWY_NAMESPACE::ScalarTag;
using hwy::HWY_NAMESPACE::Set;
using hwy::HWY_NAMESPACE::Sub;
using hwy::HWY_NAMESPACE::Xor;
using hwy::HWY_NAMESPACE::Zero;

// As in phi/kernels/functors/value.h. Functors of complex numbers name the tag;
// no kernel here computes with complex numbers.
struct OneNumber {};
template <int inputs, bool mask = false>
struct Functor {
  static constexpr int kInputs = inputs;
  static constexpr bool kMask = mask;
  static constexpr int kNonzero = -1;
  static constexpr bool kOneByOne = false;
  static constexpr bool kOtherDtype = false;
};
template <class V>
SY_FUNCTOR V SquareRoot(V x) {
  return hwy::HWY_NAMESPACE::Sqrt(x);
}
template <class V>
SY_FUNCTOR V RoundDown(V x) {
  return hwy::HWY_NAMESPACE::Floor(x);
}
template <class V>
SY_FUNCTOR V RoundUp(V x) {
  return hwy::HWY_NAMESPACE::Ceil(x);
}
template <class V>
SY_FUNCTOR bool AtMost(V x, V y) {
  return x <= y;
}
template <class D, class V>
SY_FUNCTOR bool IsTrue(D, V x) {
  return x != V{0};
}

// As in phi/kernels/functors/lane_wise.h, of one lane.
template <class D, class F, class... V>
SY_FUNCTOR hwy::HWY_NAMESPACE::TFromD<D> LaneWise(D, F f, V... x) {
  return f(x...);
}
template <class D, class F, class V>
SY_FUNCTOR V ThroughDouble(D, F f, V x) {
  return static_cast<V>(f(ScalarTag<double>(), static_cast<double>(x)));
}

SY_FUNCTORS_END

#endif  // SWITCHYARD_PHI_KERNELS_GPU_VALUE_CUH_
