// SPDX-License-Identifier: Apache-2.0
// Spans of normalizations (norm_simd.h), for one instruction set. The rest of
// a vector is padded with what adds nothing.
#include "phi/kernels/cpu/simd/simd_targets.h"

// Read once for each instruction set.
#if defined(SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_NORM_SIMD_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_NORM_SIMD_INL_H_
#undef SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_NORM_SIMD_INL_H_
#else
#define SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_NORM_SIMD_INL_H_
#endif

#include "phi/kernels/cpu/normalization/norm_simd.h"
#include "phi/kernels/cpu/simd/vector_tails-inl.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

// As LoadSome() of floats.
HWY_INLINE hn::Vec<VectorTag<float>> LoadSome(const bfloat16* from,
                                              int64_t count, float fill) {
  const VectorTag<float> d;
  constexpr int64_t kLanes = hn::MaxLanes(VectorTag<float>());
  if (count >= kLanes) {
    const hn::RebindToUnsigned<VectorTag<float>> wide;
    const hn::Rebind<uint16_t, VectorTag<float>> narrow;
    const auto bits =
        hn::LoadU(narrow, reinterpret_cast<const uint16_t*>(from));
    return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(wide, bits)));
  }
  float part[kLanes];
  std::fill_n(part, kLanes, fill);
  std::copy_n(from, count, part);
  return hn::LoadU(d, part);
}

// Two running sums, a vector each.
template <typename T>
struct TwoSums {
  hn::Vec<VectorTag<T>> a;
  hn::Vec<VectorTag<T>> b;
};

// Calls add(position, count, sums) along the span, `count` being a vector's
// lanes or the rest, over four sums that take turns; returns their totals.
template <typename T, class Add>
HWY_INLINE NormGradSums<T> SumSpan(int64_t size, const Add& add) {
  constexpr int64_t kLanes = hn::MaxLanes(VectorTag<T>());
  const auto zero = hn::Zero(VectorTag<T>());
  TwoSums<T> s0 = {zero, zero}, s1 = s0, s2 = s0, s3 = s0;
  int64_t p = 0;
  for (; p + 4 * kLanes <= size; p += 4 * kLanes) {
    add(p, kLanes, s0);
    add(p + kLanes, kLanes, s1);
    add(p + 2 * kLanes, kLanes, s2);
    add(p + 3 * kLanes, kLanes, s3);
  }
  for (; p < size; p += kLanes) add(p, size - p, s0);
  const VectorTag<T> d;
  const auto a = hn::Add(hn::Add(s0.a, s1.a), hn::Add(s2.a, s3.a));
  const auto b = hn::Add(hn::Add(s0.b, s1.b), hn::Add(s2.b, s3.b));
  return {hn::GetLane(hn::SumOfLanes(d, a)), hn::GetLane(hn::SumOfLanes(d, b))};
}

template <typename T, typename In = T>
T SumOf(const In* x, int64_t size) {
  return SumSpan<T>(size,
                    [x](int64_t p, int64_t count, TwoSums<T>& s) HWY_ATTR {
                      s.a = hn::Add(s.a, LoadSome(x + p, count, T{0}));
                    })
      .g;
}

template <typename T, typename In = T>
T SquaresOf(const In* x, int64_t size, T mean) {
  return SumSpan<T>(size,
                    [x, mean](int64_t p, int64_t count, TwoSums<T>& s)
                        HWY_ATTR {
                          const auto v = hn::Sub(LoadSome(x + p, count, mean),
                                                 hn::Set(VectorTag<T>(), mean));
                          s.a = hn::MulAdd(v, v, s.a);
                        })
      .g;
}

template <typename T>
void AffineOf(const T* x, int64_t size, T factor, T shift, T* out) {
  constexpr int64_t kLanes = hn::MaxLanes(VectorTag<T>());
  const VectorTag<T> d;
  const auto f = hn::Set(d, factor), s = hn::Set(d, shift);
  for (int64_t p = 0; p < size; p += kLanes) {
    const auto v = LoadSome(x + p, size - p, T{0});
    StoreSome(hn::MulAdd(v, f, s), size - p, out + p);
  }
}

template <typename T>
void NormalizeOf(const T* x, int64_t size, NormStatistics<T> stats,
                 const T* scale, const T* bias, T* out) {
  constexpr int64_t kLanes = hn::MaxLanes(VectorTag<T>());
  const VectorTag<T> d;
  const auto mean = hn::Set(d, stats.mean), inverse = hn::Set(d, stats.inverse);
  int64_t p = 0;
  // The common case by itself: whole vectors, both parameters.
  for (; scale != nullptr && bias != nullptr && p + kLanes <= size;
       p += kLanes) {
    const auto v = hn::Mul(hn::Sub(hn::LoadU(d, x + p), mean), inverse);
    hn::StoreU(
        hn::Add(hn::Mul(v, hn::LoadU(d, scale + p)), hn::LoadU(d, bias + p)), d,
        out + p);
  }
  for (; p < size; p += kLanes) {
    const int64_t rest = size - p;
    auto v = hn::Mul(hn::Sub(LoadSome(x + p, rest, T{0}), mean), inverse);
    if (scale != nullptr) v = hn::Mul(v, LoadSome(scale + p, rest, T{0}));
    if (bias != nullptr) v = hn::Add(v, LoadSome(bias + p, rest, T{0}));
    StoreSome(v, rest, out + p);
  }
}

template <typename T, typename In = T>
void AffineNormalOf(const In* x, int64_t size, NormStatistics<T> stats,
                    T factor, T shift, T* out) {
  constexpr int64_t kLanes = hn::MaxLanes(VectorTag<T>());
  const VectorTag<T> d;
  const auto mean = hn::Set(d, stats.mean), inverse = hn::Set(d, stats.inverse);
  const auto f = hn::Set(d, factor), s = hn::Set(d, shift);
  for (int64_t p = 0; p < size; p += kLanes) {
    const auto v =
        hn::Mul(hn::Sub(LoadSome(x + p, size - p, T{0}), mean), inverse);
    StoreSome(hn::MulAdd(v, f, s), size - p, out + p);
  }
}

template <typename T>
void AffineGradOf(const T* x, const T* dy, int64_t size,
                  NormStatistics<T> stats, NormLine<T> line, T* dx) {
  constexpr int64_t kLanes = hn::MaxLanes(VectorTag<T>());
  const VectorTag<T> d;
  const auto mean = hn::Set(d, stats.mean), inverse = hn::Set(d, stats.inverse);
  const auto factor = hn::Set(d, line.factor), slope = hn::Set(d, line.slope);
  const auto shift = hn::Set(d, line.shift);
  for (int64_t p = 0; p < size; p += kLanes) {
    const int64_t rest = size - p;
    const auto v = hn::Mul(hn::Sub(LoadSome(x + p, rest, T{0}), mean), inverse);
    const auto level = hn::MulAdd(v, slope, shift);
    StoreSome(hn::MulAdd(LoadSome(dy + p, rest, T{0}), factor, level), rest,
              dx + p);
  }
}

template <typename T>
NormGradSums<T> GradSumsOf(const T* x, const T* dy, int64_t size,
                           NormStatistics<T> stats, const T* scale) {
  NormGradSums<T> sums =
      SumSpan<T>(size, [=](int64_t p, int64_t count, TwoSums<T>& s) HWY_ATTR {
        const VectorTag<T> d;
        auto g = LoadSome(dy + p, count, T{0});
        if (scale != nullptr) g = hn::Mul(g, LoadSome(scale + p, count, T{0}));
        const auto v =
            hn::Sub(LoadSome(x + p, count, T{0}), hn::Set(d, stats.mean));
        s.a = hn::Add(s.a, g);
        s.b = hn::MulAdd(g, v, s.b);
      });
  sums.gn *= stats.inverse;
  return sums;
}

template <typename T>
void GradOf(const T* x, const T* dy, int64_t size, NormStatistics<T> stats,
            const T* scale, T factor, NormGradSums<T> means, T* dx) {
  constexpr int64_t kLanes = hn::MaxLanes(VectorTag<T>());
  const VectorTag<T> d;
  const auto mean = hn::Set(d, stats.mean), by = hn::Set(d, factor);
  const auto level = hn::Set(d, means.g);
  const auto slope = hn::Set(d, means.gn * stats.inverse);
  for (int64_t p = 0; p < size; p += kLanes) {
    const int64_t rest = size - p;
    auto g = LoadSome(dy + p, rest, T{0});
    if (scale != nullptr) g = hn::Mul(g, LoadSome(scale + p, rest, T{0}));
    const auto v = hn::Sub(LoadSome(x + p, rest, T{0}), mean);
    g = hn::NegMulAdd(v, slope, hn::Sub(g, level));
    StoreSome(hn::Mul(by, g), rest, dx + p);
  }
}

template <typename T>
void AddParameterGradsOf(const T* x, const T* dy, int64_t size,
                         NormStatistics<T> stats, T* scale_grad, T* bias_grad) {
  constexpr int64_t kLanes = hn::MaxLanes(VectorTag<T>());
  const VectorTag<T> d;
  const auto mean = hn::Set(d, stats.mean), inverse = hn::Set(d, stats.inverse);
  for (int64_t p = 0; p < size; p += kLanes) {
    const int64_t rest = size - p;
    const auto g = LoadSome(dy + p, rest, T{0});
    const auto v = hn::Mul(hn::Sub(LoadSome(x + p, rest, T{0}), mean), inverse);
    StoreSome(hn::MulAdd(g, v, LoadSome(scale_grad + p, rest, T{0})), rest,
              scale_grad + p);
    StoreSome(hn::Add(g, LoadSome(bias_grad + p, rest, T{0})), rest,
              bias_grad + p);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels::cpu
HWY_AFTER_NAMESPACE();

#endif  // per target
