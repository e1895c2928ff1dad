// SPDX-License-Identifier: Apache-2.0
// Steps of Adam on the CPU, with a dense gradient or one of rows. As in
// optimizer.h an output may be its input.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_ADAM_H_
#define SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_ADAM_H_

#include <algorithm>
#include <cmath>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/selected_rows.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/adam_.args.gen.h"
#include "phi/core/signatures/adamw_.args.gen.h"
#include "phi/kernels/cpu/optimizer/merged_rows.h"
#include "phi/kernels/cpu/optimizer/optimizer.h"
#include "phi/kernels/cpu/optimizer/optimizer_simd.h"

namespace switchyard::phi::kernels::cpu {

// The attributes of adam_ and adamw_.
struct AdamAttrs {
  double beta1, beta2, epsilon, lr_ratio, decay;
  bool use_global_beta_pow, amsgrad, multi_precision;
};

// The tensors of a step, except the gradient.
struct AdamTensors {
  const DenseTensor& param;
  const DenseTensor& learning_rate;
  const DenseTensor& moment1;
  const DenseTensor& moment2;
  const DenseTensor& beta1_pow;
  const DenseTensor& beta2_pow;
  const DenseTensor* moment2_max;
  const DenseTensor* master_param;
  const DenseTensor* skip_update;
  DenseTensor* param_out;
  DenseTensor* moment1_out;
  DenseTensor* moment2_out;
  DenseTensor* beta1_pow_out;
  DenseTensor* beta2_pow_out;
  DenseTensor* moment2_max_out;
  DenseTensor* master_param_out;
};

// Leaves everything as it is.
template <typename T>
void KeepAll(const AdamTensors& t) {
  using C = ComputeType<T>;
  KeepState<T>(&t.param, t.param_out);
  KeepState<C>(&t.moment1, t.moment1_out);
  KeepState<C>(&t.moment2, t.moment2_out);
  KeepState<C>(&t.beta1_pow, t.beta1_pow_out);
  KeepState<C>(&t.beta2_pow, t.beta2_pow_out);
  KeepState<C>(t.moment2_max, t.moment2_max_out);
  KeepState<C>(t.master_param, t.master_param_out);
}

// Returns the numbers of this step, of powers that have not advanced yet.
template <typename C>
AdamStep<C> StepOf(const AdamTensors& t, const AdamAttrs& attrs) {
  const C pow1 = *t.beta1_pow.data<C>(), pow2 = *t.beta2_pow.data<C>();
  const C correction = std::sqrt(C{1} - pow2);
  const C rate = *t.learning_rate.data<C>() * C(attrs.lr_ratio);
  return {rate * correction / (C{1} - pow1), C(attrs.epsilon) * correction,
          C(attrs.beta1), C(attrs.beta2), C{1} - rate * C(attrs.decay)};
}

// Gives the powers of the next step.
template <typename C>
void AdvancePowers(const AdamTensors& t, const AdamAttrs& attrs) {
  const bool global = attrs.use_global_beta_pow;
  *t.beta1_pow_out->mutable_data<C>() =
      *t.beta1_pow.data<C>() * (global ? C{1} : C(attrs.beta1));
  *t.beta2_pow_out->mutable_data<C>() =
      *t.beta2_pow.data<C>() * (global ? C{1} : C(attrs.beta2));
}

// The state in memory: `moment2_max` is null except for AMSGrad. Parameter and
// gradient are left open.
template <typename C>
AdamSpans<C> StateOf(const AdamTensors& t, bool amsgrad) {
  AdamSpans<C> spans = {};
  spans.moment1 = t.moment1.data<C>();
  spans.moment2 = t.moment2.data<C>();
  spans.moment1_out = t.moment1_out->mutable_data<C>();
  spans.moment2_out = t.moment2_out->mutable_data<C>();
  if (amsgrad) {
    spans.moment2_max = t.moment2_max->data<C>();
    if (t.moment2_max_out != nullptr) {
      spans.moment2_max_out = t.moment2_max_out->mutable_data<C>();
    }
  } else {
    KeepState<C>(t.moment2_max, t.moment2_max_out);
  }
  return spans;
}

// The state's part from element `at`, with these of parameter and gradient.
template <typename C>
AdamSpans<C> SpansAt(const AdamSpans<C>& state, int64_t at, const C* param,
                     const C* grad, C* param_out) {
  AdamSpans<C> spans = {
      param,   grad,      state.moment1 + at,     state.moment2 + at,
      nullptr, param_out, state.moment1_out + at, state.moment2_out + at,
      nullptr};
  if (state.moment2_max != nullptr) {
    spans.moment2_max = state.moment2_max + at;
  }
  if (state.moment2_max_out != nullptr) {
    spans.moment2_max_out = state.moment2_max_out + at;
  }
  return spans;
}

template <typename T>
absl::Status RunAdam(const AdamTensors& t, const DenseTensor& grad,
                     const AdamAttrs& attrs) {
  using C = ComputeType<T>;
  if (IsSkipped(t.skip_update)) {
    KeepAll<T>(t);
    return absl::OkStatus();
  }
  const AdamStep<C> step = StepOf<C>(t, attrs);
  const AdamSpans<C> state = StateOf<C>(t, attrs.amsgrad);
  const MasterParam<T> master =
      MasterOf<T>(t.master_param, t.master_param_out, attrs.multi_precision);
  ForEachSpan<T>(
      t.param.numel(), {t.param.data<T>(), grad.data<T>()},
      t.param_out->mutable_data<T>(),
      [&](int64_t begin, int64_t size, const C* p, const C* g, C* out) {
        StepAdam<C>(SpansAt(state, begin, p, g, out), step, size);
      },
      master);
  AdvancePowers<C>(t, attrs);
  return absl::OkStatus();
}

// Does this for a gradient of rows; with `lazy` the others stay as they are,
// otherwise their gradient is 0. A gradient without rows makes no step.
template <typename T>
absl::Status RunAdamOnRows(const AdamTensors& t, const SelectedRows& grad,
                           const AdamAttrs& attrs, bool lazy) {
  SY_ASSIGN_OR_RETURN(const int64_t width, CheckRows(grad, t.param));
  if (IsSkipped(t.skip_update) || grad.rows().empty() || width == 0) {
    KeepAll<T>(t);
    return absl::OkStatus();
  }
  const MergedRows<T> merged(grad, width);
  const std::vector<T> zeros(lazy ? 0 : static_cast<size_t>(width));
  const AdamStep<T> step = StepOf<T>(t, attrs);
  AdvancePowers<T>(t, attrs);
  if (lazy) {
    KeepState<T>(&t.param, t.param_out);
    KeepState<T>(&t.moment1, t.moment1_out);
    KeepState<T>(&t.moment2, t.moment2_out);
    KeepState<T>(t.moment2_max, t.moment2_max_out);
    KeepState<T>(t.master_param, t.master_param_out);
  }
  const AdamSpans<T> state = StateOf<T>(t, attrs.amsgrad);
  const MasterParam<T> master =
      MasterOf<T>(t.master_param, t.master_param_out, attrs.multi_precision);
  const T* const param = master.in == nullptr ? t.param.data<T>() : master.in;
  T* const out = t.param_out->mutable_data<T>();
  const auto step_row = [&](int64_t row, const T* values) {
    const int64_t at = row * width;
    StepAdam<T>(SpansAt(state, at, param + at, values, out + at), step, width);
    if (master.out != nullptr) std::copy_n(out + at, width, master.out + at);
  };
  const int64_t grain = std::max<int64_t>(1, kOptimizerGrain / width);
  const int64_t count = lazy ? merged.size() : t.param.numel() / width;
  ParallelFor(0, count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (lazy) {
        step_row(merged.row(i), merged.values(i));
        continue;
      }
      const T* const values = merged.Find(i);
      step_row(i, values == nullptr ? zeros.data() : values);
    }
  });
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kAdamSpec =
    KernelSpec<S>()
        .Inputs({S::kLearningRate, S::kMoment1, S::kMoment2, S::kBeta1Pow,
                 S::kBeta2Pow, S::kMoment2Max, S::kMasterParam},
                AnyDtype())
        .Input(S::kSkipUpdate, OnHost(Fixed(DataType::kBool)));
template <typename T>
absl::Status AdamKernel(const CpuContext&, const AdamArgs& args) {
  return RunAdam<T>(
      {args.param, args.learning_rate, args.moment1, args.moment2,
       args.beta1_pow, args.beta2_pow, args.moment2_max, args.master_param,
       args.skip_update, args.param_out, args.moment1_out, args.moment2_out,
       args.beta1_pow_out, args.beta2_pow_out, args.moment2_max_out,
       args.master_param_out},
      args.grad,
      {args.beta1, args.beta2, args.epsilon, /*lr_ratio=*/1, /*decay=*/0,
       args.use_global_beta_pow, args.amsgrad, args.multi_precision});
}

template <typename S>
inline constexpr auto kAdamSelectedRowsSpec = kAdamSpec<S>.Here();
template <typename T>
absl::Status AdamSelectedRowsKernel(const CpuContext&,
                                    const AdamSelectedRowsArgs& args) {
  return RunAdamOnRows<T>(
      {args.param, args.learning_rate, args.moment1, args.moment2,
       args.beta1_pow, args.beta2_pow, args.moment2_max, args.master_param,
       args.skip_update, args.param_out, args.moment1_out, args.moment2_out,
       args.beta1_pow_out, args.beta2_pow_out, args.moment2_max_out,
       args.master_param_out},
      args.grad,
      {args.beta1, args.beta2, args.epsilon, /*lr_ratio=*/1, /*decay=*/0,
       args.use_global_beta_pow, args.amsgrad, args.multi_precision},
      args.lazy_mode);
}

template <typename S>
inline constexpr auto kAdamwSpec = kAdamSpec<S>.Here();
template <typename T>
absl::Status AdamwKernel(const CpuContext&, const AdamwArgs& args) {
  return RunAdam<T>(
      {args.param, args.learning_rate, args.moment1, args.moment2,
       args.beta1_pow, args.beta2_pow, args.moment2_max, args.master_param,
       args.skip_update, args.param_out, args.moment1_out, args.moment2_out,
       args.beta1_pow_out, args.beta2_pow_out, args.moment2_max_out,
       args.master_param_out},
      args.grad,
      {args.beta1, args.beta2, args.epsilon, args.lr_ratio,
       args.with_decay ? args.coeff : 0, args.use_global_beta_pow, args.amsgrad,
       args.multi_precision});
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_ADAM_H_
