// SPDX-License-Identifier: Apache-2.0
// The vector work of the optimizers on the CPU (optimizer.h): steps of spans of
// elements, for float and double. An output may be its input.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_OPTIMIZER_SIMD_H_
#define SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_OPTIMIZER_SIMD_H_

#include <cstdint>

namespace switchyard::phi::kernels::cpu {

// The numbers of one step of momentum.
template <typename T>
struct MomentumStep {
  T rate;
  T mu;
  T decay;    // Of the parameter, added to the gradient.
  T rescale;  // The gradient's factor.
  bool nesterov;
};

// Both corrections of bias are folded into rate and epsilon (Kingma and Ba,
// section 2, the last paragraph).
template <typename T>
struct AdamStep {
  T rate;
  T epsilon;
  T beta1;
  T beta2;
  T keep;  // The parameter's factor before the step: 1 - rate * decay.
};

// `moment2_max` is null except for AMSGrad, and its result where it is not
// wanted.
template <typename T>
struct AdamSpans {
  const T* param;
  const T* grad;
  const T* moment1;
  const T* moment2;
  const T* moment2_max;
  T* param_out;
  T* moment1_out;
  T* moment2_out;
  T* moment2_max_out;
};

// out = param - rate * grad.
template <typename T>
void StepSgd(const T* param, const T* grad, T rate, int64_t size, T* out);

template <typename T>
void StepMomentum(const T* param, const T* grad, const T* velocity,
                  const MomentumStep<T>& step, int64_t size, T* param_out,
                  T* velocity_out);

template <typename T>
void StepAdam(const AdamSpans<T>& spans, const AdamStep<T>& step, int64_t size);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_OPTIMIZER_SIMD_H_
