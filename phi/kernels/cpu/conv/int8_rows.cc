// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/conv/int8_rows.h"

#include <algorithm>
#include <cstring>

// Compiled once for each instruction set: simd_targets.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "phi/kernels/cpu/conv/int8_rows.cc"
#include "phi/kernels/cpu/simd/simd_targets.h"
// After it: the header of each instruction set.
#include "phi/kernels/cpu/simd/vector_tails-inl.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

using Floats = VectorTag<float>;
using Bytes = hn::Rebind<int8_t, Floats>;

HWY_INLINE hn::Vec<Bytes> ToBytes(hn::Vec<Floats> x) {
  const Floats d;
  const hn::Rebind<int32_t, Floats> integers;
  const auto bounded =
      hn::Min(hn::Max(x, hn::Set(d, -127.0f)), hn::Set(d, 127.0f));
  // NaN has no bounds; it is 0.
  const auto number = hn::IfThenElseZero(hn::Eq(x, x), bounded);
  return hn::DemoteTo(Bytes(), hn::ConvertTo(integers, hn::Round(number)));
}

void Quantize(const float* x, float factor, int64_t count, int8_t* out) {
  const Floats d;
  constexpr int64_t kLanes = hn::MaxLanes(Floats());
  const auto factors = hn::Set(d, factor);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    hn::StoreU(ToBytes(hn::Mul(hn::LoadU(d, x + i), factors)), Bytes(),
               out + i);
  }
  if (i == count) return;
  int8_t part[kLanes];
  hn::StoreU(ToBytes(hn::Mul(LoadSome(x + i, count - i, 0.0f), factors)),
             Bytes(), part);
  std::memcpy(out + i, part, static_cast<size_t>(count - i));
}

void Widen(const int8_t* x, int64_t count, float* out) {
  const Floats d;
  constexpr int64_t kLanes = hn::MaxLanes(Floats());
  const hn::Rebind<int32_t, Floats> integers;
  for (int64_t i = 0; i < count; i += kLanes) {
    int8_t part[kLanes] = {};
    std::memcpy(part, x + i, static_cast<size_t>(std::min(kLanes, count - i)));
    const auto wide = hn::PromoteTo(integers, hn::LoadU(Bytes(), part));
    StoreSome<float>(hn::ConvertTo(d, wide), count - i, out + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace switchyard::phi::kernels::cpu {
namespace {
HWY_EXPORT(Quantize);
HWY_EXPORT(Widen);
}  // namespace

void QuantizeRow(const float* x, float factor, int64_t count, int8_t* out) {
  HWY_DYNAMIC_DISPATCH(Quantize)(x, factor, count, out);
}
void WidenRow(const int8_t* x, int64_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(Widen)(x, count, out);
}

}  // namespace switchyard::phi::kernels::cpu
#endif  // HWY_ONCE
