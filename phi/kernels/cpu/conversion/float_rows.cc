// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/conversion/float_rows.h"

// Compiled once for each instruction set: simd_targets.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "phi/kernels/cpu/conversion/float_rows.cc"
#include "phi/kernels/cpu/simd/simd_targets.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Whole vectors of as many elements as the wider type has lanes; the rest one
// by one, with the same bits.
void FloatToDouble(const float* in, int64_t count, double* out) {
  const hn::ScalableTag<double> wide;
  const hn::Rebind<float, decltype(wide)> narrow;
  constexpr int64_t kLanes = hn::MaxLanes(wide);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    hn::StoreU(hn::PromoteTo(wide, hn::LoadU(narrow, in + i)), wide, out + i);
  }
  for (; i < count; ++i) out[i] = static_cast<double>(in[i]);
}

void DoubleToFloat(const double* in, int64_t count, float* out) {
  const hn::ScalableTag<double> wide;
  const hn::Rebind<float, decltype(wide)> narrow;
  constexpr int64_t kLanes = hn::MaxLanes(wide);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    hn::StoreU(hn::DemoteTo(narrow, hn::LoadU(wide, in + i)), narrow, out + i);
  }
  for (; i < count; ++i) out[i] = static_cast<float>(in[i]);
}

void Int32ToFloat(const int32_t* in, int64_t count, float* out) {
  const hn::ScalableTag<float> floats;
  const hn::RebindToSigned<decltype(floats)> whole;
  constexpr int64_t kLanes = hn::MaxLanes(floats);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    hn::StoreU(hn::ConvertTo(floats, hn::LoadU(whole, in + i)), floats,
               out + i);
  }
  for (; i < count; ++i) out[i] = static_cast<float>(in[i]);
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace switchyard::phi::kernels::cpu {

HWY_EXPORT(FloatToDouble);
HWY_EXPORT(DoubleToFloat);
HWY_EXPORT(Int32ToFloat);

void ConvertRow(const float* in, int64_t count, double* out) {
  HWY_DYNAMIC_DISPATCH(FloatToDouble)(in, count, out);
}

void ConvertRow(const double* in, int64_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(DoubleToFloat)(in, count, out);
}

void ConvertRow(const int32_t* in, int64_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(Int32ToFloat)(in, count, out);
}

}  // namespace switchyard::phi::kernels::cpu
#endif  // HWY_ONCE
