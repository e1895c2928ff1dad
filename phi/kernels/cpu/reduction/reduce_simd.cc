// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/reduction/reduce_simd.h"

// Compiled once for each instruction set: simd_targets.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "phi/kernels/cpu/reduction/reduce_simd.cc"
#include "phi/kernels/cpu/simd/simd_targets.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Elements of a block: few enough that a lane's sum in float stays exact to a
// few units in the last place.
constexpr int64_t kSumBlock = 4096;

// Four sums side by side hide the latency of the addition.
template <typename T>
double SumAdjacent(const T* x, int64_t n) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = hn::Lanes(d);
  double total = 0;
  for (int64_t begin = 0; begin < n; begin += kSumBlock) {
    const int64_t end = std::min(n, begin + kSumBlock);
    auto s0 = hn::Zero(d), s1 = hn::Zero(d), s2 = hn::Zero(d), s3 = hn::Zero(d);
    int64_t i = begin;
    for (; i + 4 * lanes <= end; i += 4 * lanes) {
      s0 = hn::Add(s0, hn::LoadU(d, x + i));
      s1 = hn::Add(s1, hn::LoadU(d, x + i + lanes));
      s2 = hn::Add(s2, hn::LoadU(d, x + i + 2 * lanes));
      s3 = hn::Add(s3, hn::LoadU(d, x + i + 3 * lanes));
    }
    for (; i + lanes <= end; i += lanes) {
      s0 = hn::Add(s0, hn::LoadU(d, x + i));
    }
    const auto sum = hn::Add(hn::Add(s0, s1), hn::Add(s2, s3));
    double block = hn::GetLane(hn::SumOfLanes(d, sum));
    for (; i < end; ++i) block += x[i];
    total += block;
  }
  return total;
}

template <typename T>
void AddAdjacent(const T* x, int64_t n, T* to) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = hn::Lanes(d);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(hn::Add(hn::LoadU(d, to + i), hn::LoadU(d, x + i)), d, to + i);
  }
  for (; i < n; ++i) to[i] += x[i];
}

// The larger or the smaller one; NaN if one of them is.
struct Larger {
  template <class V>
  HWY_INLINE V Vector(V a, V b) const {
    return hn::IfThenElse(hn::Or(hn::Lt(a, b), hn::IsNaN(b)), b, a);
  }
  template <typename T>
  HWY_INLINE T Number(T a, T b) const {
    return a < b || b != b ? b : a;
  }
};
struct Smaller {
  template <class V>
  HWY_INLINE V Vector(V a, V b) const {
    return hn::IfThenElse(hn::Or(hn::Lt(b, a), hn::IsNaN(b)), b, a);
  }
  template <typename T>
  HWY_INLINE T Number(T a, T b) const {
    return b < a || b != b ? b : a;
  }
};

template <class Choice, typename T>
T ChooseAdjacent(const T* x, int64_t n, T best) {
  const hn::ScalableTag<T> d;
  const Choice choice;
  constexpr int64_t kLanes = hn::MaxLanes(hn::ScalableTag<T>());
  int64_t i = 0;
  if (n >= kLanes) {
    // Four choices side by side, as for sums.
    auto v = hn::LoadU(d, x), v1 = v, v2 = v, v3 = v;
    for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
      v = choice.Vector(v, hn::LoadU(d, x + i));
      v1 = choice.Vector(v1, hn::LoadU(d, x + i + kLanes));
      v2 = choice.Vector(v2, hn::LoadU(d, x + i + 2 * kLanes));
      v3 = choice.Vector(v3, hn::LoadU(d, x + i + 3 * kLanes));
    }
    for (; i + kLanes <= n; i += kLanes) {
      v = choice.Vector(v, hn::LoadU(d, x + i));
    }
    v = choice.Vector(choice.Vector(v, v1), choice.Vector(v2, v3));
    T lane[kLanes];
    hn::StoreU(v, d, lane);
    for (const T value : lane) best = choice.Number(best, value);
  }
  for (; i < n; ++i) best = choice.Number(best, x[i]);
  return best;
}

template <class Choice, typename T>
void ChooseEach(const T* x, int64_t n, T* to) {
  const hn::ScalableTag<T> d;
  const Choice choice;
  const int64_t lanes = hn::Lanes(d);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(choice.Vector(hn::LoadU(d, to + i), hn::LoadU(d, x + i)), d,
               to + i);
  }
  for (; i < n; ++i) to[i] = choice.Number(to[i], x[i]);
}

double SumFloat(const float* x, int64_t n) { return SumAdjacent(x, n); }
double SumDouble(const double* x, int64_t n) { return SumAdjacent(x, n); }
void AddFloat(const float* x, int64_t n, float* to) { AddAdjacent(x, n, to); }
void AddDouble(const double* x, int64_t n, double* to) {
  AddAdjacent(x, n, to);
}
float MaxFloat(const float* x, int64_t n, float largest) {
  return ChooseAdjacent<Larger>(x, n, largest);
}
void MaxEachFloat(const float* x, int64_t n, float* to) {
  ChooseEach<Larger>(x, n, to);
}
double MaxDouble(const double* x, int64_t n, double largest) {
  return ChooseAdjacent<Larger>(x, n, largest);
}
void MaxEachDouble(const double* x, int64_t n, double* to) {
  ChooseEach<Larger>(x, n, to);
}
float MinFloat(const float* x, int64_t n, float smallest) {
  return ChooseAdjacent<Smaller>(x, n, smallest);
}
void MinEachFloat(const float* x, int64_t n, float* to) {
  ChooseEach<Smaller>(x, n, to);
}
double MinDouble(const double* x, int64_t n, double smallest) {
  return ChooseAdjacent<Smaller>(x, n, smallest);
}
void MinEachDouble(const double* x, int64_t n, double* to) {
  ChooseEach<Smaller>(x, n, to);
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace switchyard::phi::kernels::cpu {
namespace {
HWY_EXPORT(SumFloat);
HWY_EXPORT(SumDouble);
HWY_EXPORT(AddFloat);
HWY_EXPORT(AddDouble);
HWY_EXPORT(MaxFloat);
HWY_EXPORT(MaxDouble);
HWY_EXPORT(MaxEachFloat);
HWY_EXPORT(MaxEachDouble);
HWY_EXPORT(MinFloat);
HWY_EXPORT(MinDouble);
HWY_EXPORT(MinEachFloat);
HWY_EXPORT(MinEachDouble);
}  // namespace

double SumSpan(const float* x, int64_t n) {
  return HWY_DYNAMIC_DISPATCH(SumFloat)(x, n);
}
double SumSpan(const double* x, int64_t n) {
  return HWY_DYNAMIC_DISPATCH(SumDouble)(x, n);
}
void AddSpan(const float* x, int64_t n, float* to) {
  HWY_DYNAMIC_DISPATCH(AddFloat)(x, n, to);
}
void AddSpan(const double* x, int64_t n, double* to) {
  HWY_DYNAMIC_DISPATCH(AddDouble)(x, n, to);
}
float MaxSpan(const float* x, int64_t n, float largest) {
  return HWY_DYNAMIC_DISPATCH(MaxFloat)(x, n, largest);
}
void MaxSpan(const float* x, int64_t n, float* to) {
  HWY_DYNAMIC_DISPATCH(MaxEachFloat)(x, n, to);
}
double MaxSpan(const double* x, int64_t n, double largest) {
  return HWY_DYNAMIC_DISPATCH(MaxDouble)(x, n, largest);
}
void MaxSpan(const double* x, int64_t n, double* to) {
  HWY_DYNAMIC_DISPATCH(MaxEachDouble)(x, n, to);
}
float MinSpan(const float* x, int64_t n, float smallest) {
  return HWY_DYNAMIC_DISPATCH(MinFloat)(x, n, smallest);
}
void MinSpan(const float* x, int64_t n, float* to) {
  HWY_DYNAMIC_DISPATCH(MinEachFloat)(x, n, to);
}
double MinSpan(const double* x, int64_t n, double smallest) {
  return HWY_DYNAMIC_DISPATCH(MinDouble)(x, n, smallest);
}
void MinSpan(const double* x, int64_t n, double* to) {
  HWY_DYNAMIC_DISPATCH(MinEachDouble)(x, n, to);
}

}  // namespace switchyard::phi::kernels::cpu
#endif  // HWY_ONCE
