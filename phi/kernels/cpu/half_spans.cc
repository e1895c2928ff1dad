// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/half_spans.h"

// Compiled once for each instruction set: simd_targets.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "phi/kernels/cpu/half_spans.cc"
#include "phi/kernels/cpu/simd_targets.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using U32 = hn::RebindToUnsigned<F32>;

// The bits of a float16 in the low half of each lane as a float: the magnitude
// moved into a float's places is too small by 2^112, subnormal or not; what
// has all exponent bits set (infinite, NaN) keeps them.
HWY_INLINE hn::Vec<F32> FromFloat16(hn::Vec<U32> bits) {
  const F32 f;
  const U32 u;
  const hn::RebindToSigned<F32> s;
  const auto magnitude = hn::And(bits, hn::Set(u, 0x7fff));
  const auto number = hn::Mul(hn::BitCast(f, hn::ShiftLeft<13>(magnitude)),
                              hn::Set(f, 0x1p112f));
  const auto special = hn::Gt(hn::BitCast(s, magnitude), hn::Set(s, 0x7bff));
  const auto exponent = hn::And(hn::BitCast(u, hn::VecFromMask(s, special)),
                                hn::Set(u, 0x7f800000));
  const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(u, 0x8000)));
  return hn::BitCast(f, hn::Or(hn::BitCast(u, number), hn::Or(exponent, sign)));
}

HWY_INLINE hn::Vec<F32> FromBFloat16(hn::Vec<U32> bits) {
  return hn::BitCast(F32(), hn::ShiftLeft<16>(bits));
}

// What is left of a span is padded.
#define SY_WIDEN(Name, Convert)                                               \
  void Name(const uint16_t* x, int64_t n, float* to) {                        \
    const F32 f;                                                              \
    const U32 u;                                                              \
    const hn::Rebind<uint16_t, F32> half;                                     \
    const int64_t lanes = hn::Lanes(f);                                       \
    int64_t i = 0;                                                            \
    for (; i + lanes <= n; i += lanes) {                                      \
      hn::StoreU(Convert(hn::PromoteTo(u, hn::LoadU(half, x + i))), f,        \
                 to + i);                                                     \
    }                                                                         \
    if (i == n) return;                                                       \
    uint16_t rest[hn::MaxLanes(half)] = {};                                   \
    float widened[hn::MaxLanes(f)];                                           \
    for (int64_t j = i; j < n; ++j) rest[j - i] = x[j];                       \
    hn::StoreU(Convert(hn::PromoteTo(u, hn::LoadU(half, rest))), f, widened); \
    for (int64_t j = i; j < n; ++j) to[j] = widened[j - i];                   \
  }
SY_WIDEN(WidenFloat16, FromFloat16)
SY_WIDEN(WidenBFloat16, FromBFloat16)
#undef SY_WIDEN

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace switchyard::phi::kernels {
namespace {
HWY_EXPORT(WidenFloat16);
HWY_EXPORT(WidenBFloat16);
}  // namespace

void WidenSpan(const float16* x, int64_t n, float* to) {
  HWY_DYNAMIC_DISPATCH(WidenFloat16)
  (reinterpret_cast<const uint16_t*>(x), n, to);
}
void WidenSpan(const bfloat16* x, int64_t n, float* to) {
  HWY_DYNAMIC_DISPATCH(WidenBFloat16)
  (reinterpret_cast<const uint16_t*>(x), n, to);
}

}  // namespace switchyard::phi::kernels
#endif  // HWY_ONCE
