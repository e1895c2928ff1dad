// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/norm_spans.h"

// Compiled once for each instruction set: simd_targets.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "phi/kernels/cpu/norm_spans.cc"
#include "phi/kernels/cpu/norm_spans-inl.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels {
namespace HWY_NAMESPACE {

float NormSumFloat(const float* x, int64_t size) { return SumOf(x, size); }
float SquaresFloat(const float* x, int64_t size, float mean) {
  return SquaresOf(x, size, mean);
}
void AffineFloat(const float* x, int64_t size, float factor, float shift,
                 float* out) {
  AffineOf(x, size, factor, shift, out);
}
void NormalizeFloat(const float* x, int64_t size, NormStatistics<float> stats,
                    const float* scale, const float* bias, float* out) {
  NormalizeOf(x, size, stats, scale, bias, out);
}
NormGradSums<float> GradSumsFloat(const float* x, const float* dy, int64_t size,
                                  NormStatistics<float> stats,
                                  const float* scale) {
  return GradSumsOf(x, dy, size, stats, scale);
}
void GradFloat(const float* x, const float* dy, int64_t size,
               NormStatistics<float> stats, const float* scale, float factor,
               NormGradSums<float> means, float* dx) {
  GradOf(x, dy, size, stats, scale, factor, means, dx);
}
void AddParameterGradsFloat(const float* x, const float* dy, int64_t size,
                            NormStatistics<float> stats, float* scale_grad,
                            float* bias_grad) {
  AddParameterGradsOf(x, dy, size, stats, scale_grad, bias_grad);
}
double NormSumDouble(const double* x, int64_t size) { return SumOf(x, size); }
double SquaresDouble(const double* x, int64_t size, double mean) {
  return SquaresOf(x, size, mean);
}
void AffineDouble(const double* x, int64_t size, double factor, double shift,
                  double* out) {
  AffineOf(x, size, factor, shift, out);
}
void NormalizeDouble(const double* x, int64_t size,
                     NormStatistics<double> stats, const double* scale,
                     const double* bias, double* out) {
  NormalizeOf(x, size, stats, scale, bias, out);
}
NormGradSums<double> GradSumsDouble(const double* x, const double* dy,
                                    int64_t size, NormStatistics<double> stats,
                                    const double* scale) {
  return GradSumsOf(x, dy, size, stats, scale);
}
void GradDouble(const double* x, const double* dy, int64_t size,
                NormStatistics<double> stats, const double* scale,
                double factor, NormGradSums<double> means, double* dx) {
  GradOf(x, dy, size, stats, scale, factor, means, dx);
}
void AddParameterGradsDouble(const double* x, const double* dy, int64_t size,
                             NormStatistics<double> stats, double* scale_grad,
                             double* bias_grad) {
  AddParameterGradsOf(x, dy, size, stats, scale_grad, bias_grad);
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace switchyard::phi::kernels {
namespace {

HWY_EXPORT(NormSumFloat);
HWY_EXPORT(SquaresFloat);
HWY_EXPORT(AffineFloat);
HWY_EXPORT(NormalizeFloat);
HWY_EXPORT(GradSumsFloat);
HWY_EXPORT(GradFloat);
HWY_EXPORT(AddParameterGradsFloat);
HWY_EXPORT(NormSumDouble);
HWY_EXPORT(SquaresDouble);
HWY_EXPORT(AffineDouble);
HWY_EXPORT(NormalizeDouble);
HWY_EXPORT(GradSumsDouble);
HWY_EXPORT(GradDouble);
HWY_EXPORT(AddParameterGradsDouble);

}  // namespace

template <>
float NormSpans<float>::Sum(const float* x, int64_t size) {
  return HWY_DYNAMIC_DISPATCH(NormSumFloat)(x, size);
}
template <>
float NormSpans<float>::Squares(const float* x, int64_t size, float mean) {
  return HWY_DYNAMIC_DISPATCH(SquaresFloat)(x, size, mean);
}
template <>
void NormSpans<float>::Affine(const float* x, int64_t size, float factor,
                              float shift, float* out) {
  HWY_DYNAMIC_DISPATCH(AffineFloat)(x, size, factor, shift, out);
}
template <>
void NormSpans<float>::Normalize(const float* x, int64_t size,
                                 NormStatistics<float> stats,
                                 const float* scale, const float* bias,
                                 float* out) {
  HWY_DYNAMIC_DISPATCH(NormalizeFloat)(x, size, stats, scale, bias, out);
}
template <>
NormGradSums<float> NormSpans<float>::GradSums(const float* x, const float* dy,
                                               int64_t size,
                                               NormStatistics<float> stats,
                                               const float* scale) {
  return HWY_DYNAMIC_DISPATCH(GradSumsFloat)(x, dy, size, stats, scale);
}
template <>
void NormSpans<float>::Grad(const float* x, const float* dy, int64_t size,
                            NormStatistics<float> stats, const float* scale,
                            float factor, NormGradSums<float> means,
                            float* dx) {
  HWY_DYNAMIC_DISPATCH(GradFloat)(x, dy, size, stats, scale, factor, means, dx);
}
template <>
void NormSpans<float>::AddParameterGrads(const float* x, const float* dy,
                                         int64_t size,
                                         NormStatistics<float> stats,
                                         float* scale_grad, float* bias_grad) {
  HWY_DYNAMIC_DISPATCH(AddParameterGradsFloat)
  (x, dy, size, stats, scale_grad, bias_grad);
}
template <>
double NormSpans<double>::Sum(const double* x, int64_t size) {
  return HWY_DYNAMIC_DISPATCH(NormSumDouble)(x, size);
}
template <>
double NormSpans<double>::Squares(const double* x, int64_t size, double mean) {
  return HWY_DYNAMIC_DISPATCH(SquaresDouble)(x, size, mean);
}
template <>
void NormSpans<double>::Affine(const double* x, int64_t size, double factor,
                               double shift, double* out) {
  HWY_DYNAMIC_DISPATCH(AffineDouble)(x, size, factor, shift, out);
}
template <>
void NormSpans<double>::Normalize(const double* x, int64_t size,
                                  NormStatistics<double> stats,
                                  const double* scale, const double* bias,
                                  double* out) {
  HWY_DYNAMIC_DISPATCH(NormalizeDouble)(x, size, stats, scale, bias, out);
}
template <>
NormGradSums<double> NormSpans<double>::GradSums(const double* x,
                                                 const double* dy, int64_t size,
                                                 NormStatistics<double> stats,
                                                 const double* scale) {
  return HWY_DYNAMIC_DISPATCH(GradSumsDouble)(x, dy, size, stats, scale);
}
template <>
void NormSpans<double>::Grad(const double* x, const double* dy, int64_t size,
                             NormStatistics<double> stats, const double* scale,
                             double factor, NormGradSums<double> means,
                             double* dx) {
  HWY_DYNAMIC_DISPATCH(GradDouble)
  (x, dy, size, stats, scale, factor, means, dx);
}
template <>
void NormSpans<double>::AddParameterGrads(const double* x, const double* dy,
                                          int64_t size,
                                          NormStatistics<double> stats,
                                          double* scale_grad,
                                          double* bias_grad) {
  HWY_DYNAMIC_DISPATCH(AddParameterGradsDouble)
  (x, dy, size, stats, scale_grad, bias_grad);
}

}  // namespace switchyard::phi::kernels
#endif  // HWY_ONCE
