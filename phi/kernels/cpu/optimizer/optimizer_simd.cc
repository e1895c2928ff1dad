// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/optimizer/optimizer_simd.h"

// Compiled once for each instruction set: simd_targets.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "phi/kernels/cpu/optimizer/optimizer_simd.cc"
#include "phi/kernels/cpu/optimizer/optimizer_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

void SgdFloat(const float* param, const float* grad, float rate, int64_t size,
              float* out) {
  SgdOf(param, grad, rate, size, out);
}
void MomentumFloat(const float* param, const float* grad, const float* velocity,
                   const MomentumStep<float>& step, int64_t size,
                   float* param_out, float* velocity_out) {
  MomentumOf(param, grad, velocity, step, size, param_out, velocity_out);
}
void AdamFloat(const AdamSpans<float>& spans, const AdamStep<float>& step,
               int64_t size) {
  AdamOf(spans, step, size);
}
void SgdDouble(const double* param, const double* grad, double rate,
               int64_t size, double* out) {
  SgdOf(param, grad, rate, size, out);
}
void MomentumDouble(const double* param, const double* grad,
                    const double* velocity, const MomentumStep<double>& step,
                    int64_t size, double* param_out, double* velocity_out) {
  MomentumOf(param, grad, velocity, step, size, param_out, velocity_out);
}
void AdamDouble(const AdamSpans<double>& spans, const AdamStep<double>& step,
                int64_t size) {
  AdamOf(spans, step, size);
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace switchyard::phi::kernels::cpu {
namespace {

HWY_EXPORT(SgdFloat);
HWY_EXPORT(MomentumFloat);
HWY_EXPORT(AdamFloat);
HWY_EXPORT(SgdDouble);
HWY_EXPORT(MomentumDouble);
HWY_EXPORT(AdamDouble);

}  // namespace

template <>
void StepSgd(const float* param, const float* grad, float rate, int64_t size,
             float* out) {
  HWY_DYNAMIC_DISPATCH(SgdFloat)(param, grad, rate, size, out);
}
template <>
void StepMomentum(const float* param, const float* grad, const float* velocity,
                  const MomentumStep<float>& step, int64_t size,
                  float* param_out, float* velocity_out) {
  HWY_DYNAMIC_DISPATCH(MomentumFloat)
  (param, grad, velocity, step, size, param_out, velocity_out);
}
template <>
void StepAdam(const AdamSpans<float>& spans, const AdamStep<float>& step,
              int64_t size) {
  HWY_DYNAMIC_DISPATCH(AdamFloat)(spans, step, size);
}
template <>
void StepSgd(const double* param, const double* grad, double rate, int64_t size,
             double* out) {
  HWY_DYNAMIC_DISPATCH(SgdDouble)(param, grad, rate, size, out);
}
template <>
void StepMomentum(const double* param, const double* grad,
                  const double* velocity, const MomentumStep<double>& step,
                  int64_t size, double* param_out, double* velocity_out) {
  HWY_DYNAMIC_DISPATCH(MomentumDouble)
  (param, grad, velocity, step, size, param_out, velocity_out);
}
template <>
void StepAdam(const AdamSpans<double>& spans, const AdamStep<double>& step,
              int64_t size) {
  HWY_DYNAMIC_DISPATCH(AdamDouble)(spans, step, size);
}

}  // namespace switchyard::phi::kernels::cpu
#endif  // HWY_ONCE
