// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/normalization/norm_simd.h"

// Compiled once for each instruction set: simd_targets.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "phi/kernels/cpu/normalization/norm_simd.cc"
#include "phi/kernels/cpu/normalization/norm_simd-inl.h"
// After it: it too is read once for each instruction set.
#include "phi/kernels/cpu/normalization/norm_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

template <typename T>
const NormSimd<T>* SpansOf() {
  static constexpr NormSimd<T> kSpans = {
      &SumOf<T>,         &SquaresOf<T>,       &AffineOf<T>,
      &NormalizeOf<T>,   &AffineNormalOf<T>,  &AffineGradOf<T>,
      &GradSumsOf<T>,    &GradOf<T>,          &AddParameterGradsOf<T>,
      &AddRowsOf<T>,     &AddRowSquaresOf<T>, &AffineRowsOf<T>,
      &AddRowGradsOf<T>, &GradRowsOf<T>};
  return &kSpans;
}
const NormSimd<float>* FloatSpans() { return SpansOf<float>(); }
const NormSimd<double>* DoubleSpans() { return SpansOf<double>(); }
const BFloat16NormSimd* BFloat16Spans() {
  static constexpr BFloat16NormSimd kSpans = {&SumOf<float, bfloat16>,
                                              &SquaresOf<float, bfloat16>,
                                              &AffineNormalOf<float, bfloat16>};
  return &kSpans;
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace switchyard::phi::kernels::cpu {
namespace {

HWY_EXPORT(FloatSpans);
HWY_EXPORT(DoubleSpans);
HWY_EXPORT(BFloat16Spans);

}  // namespace

template <>
const NormSimd<float>& NormSimd<float>::Get() {
  return *HWY_DYNAMIC_DISPATCH(FloatSpans)();
}
template <>
const NormSimd<double>& NormSimd<double>::Get() {
  return *HWY_DYNAMIC_DISPATCH(DoubleSpans)();
}
const BFloat16NormSimd& BFloat16NormSimd::Get() {
  return *HWY_DYNAMIC_DISPATCH(BFloat16Spans)();
}

}  // namespace switchyard::phi::kernels::cpu
#endif  // HWY_ONCE
