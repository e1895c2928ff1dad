// SPDX-License-Identifier: Apache-2.0
// Optimizer steps on the CPU. An output may be its input (in place): every
// element is read before it is written, and scalars before anything is.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_OPTIMIZER_H_
#define SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_OPTIMIZER_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/selected_rows.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/conversion/widened_tensor.h"
#include "phi/kernels/cpu/optimizer/optimizer_simd.h"

namespace switchyard::phi::kernels::cpu {

inline constexpr int64_t kOptimizerGrain = 1 << 15;  // Elements a chunk.

// A parameter in the dtype that it is stepped in, unless null.
template <typename T>
struct MasterParam {
  const ComputeType<T>* in = nullptr;
  ComputeType<T>* out = nullptr;
};

// Calls step(begin, size, param, grad, out) with spans of elements as computed
// in: those of float16 and bfloat16 are widened piece by piece. With a master
// it is the one that is stepped, and `out` is rounded from it.
template <typename T, typename Step>
void ForEachSpan(int64_t count, std::array<const T*, 2> in, T* out,
                 const Step& step, MasterParam<T> master = {}) {
  using C = ComputeType<T>;
  ParallelFor(0, count, kOptimizerGrain, [&](int64_t begin, int64_t end) {
    if constexpr (kIsHalf<T>) {
      constexpr int64_t kPiece = 256;
      C param[kPiece], grad[kPiece];
      for (int64_t at = begin; at < end; at += kPiece) {
        const int64_t size = std::min(kPiece, end - at);
        if (master.in == nullptr) {
          std::copy_n(in[0] + at, size, param);
        } else {
          std::copy_n(master.in + at, size, param);
        }
        std::copy_n(in[1] + at, size, grad);
        step(at, size, param, grad, param);
        for (int64_t i = 0; i < size; ++i) out[at + i] = T(param[i]);
        if (master.out != nullptr) std::copy_n(param, size, master.out + at);
      }
    } else {
      const T* param = master.in == nullptr ? in[0] : master.in;
      step(begin, end - begin, param + begin, in[1] + begin, out + begin);
      if (master.out != nullptr) {
        std::copy(out + begin, out + end, master.out + begin);
      }
    }
  });
}

template <typename S>
inline constexpr auto kSgdSpec = KernelSpec<S>().Input(S::kLearningRate,
                                                       AnyDtype());
template <typename T>
absl::Status SgdKernel(const CpuContext&, const DenseTensor& param,
                       const DenseTensor& learning_rate,
                       const DenseTensor& grad, DenseTensor* param_out) {
  using C = ComputeType<T>;
  const C rate = *learning_rate.data<C>();
  ForEachSpan<T>(param.numel(), {param.data<T>(), grad.data<T>()},
                 param_out->mutable_data<T>(),
                 [rate](int64_t, int64_t size, const C* p, const C* g, C* out) {
                   StepSgd(p, g, rate, size, out);
                 });
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kSgdSelectedRowsSpec = KernelSpec<S>();
// Rows that occur more than once are subtracted one after another.
template <typename T>
absl::Status SgdSelectedRowsKernel(const CpuContext&, const DenseTensor& param,
                                   const DenseTensor& learning_rate,
                                   const SelectedRows& grad,
                                   DenseTensor* param_out) {
  const int64_t height = param.rank() == 0 ? 1 : param.extent(0);
  for (int64_t row : grad.rows()) {
    if (row < 0 || row >= height) {
      return RangeError("grad", "rows in [0, " + std::to_string(height) + ")",
                        std::to_string(row));
    }
  }
  const int64_t width = height == 0 ? 0 : param.numel() / height;
  const int64_t values = static_cast<int64_t>(grad.rows().size()) * width;
  if (grad.values().numel() != values) {
    return ArgumentError("grad", "of " + std::to_string(values) + " values",
                         std::to_string(grad.values().numel()));
  }
  const T rate = *learning_rate.data<T>();
  const T* g = grad.values().data<T>();
  T* out = param_out->mutable_data<T>();
  if (out != param.data<T>()) std::copy_n(param.data<T>(), param.numel(), out);
  for (size_t i = 0; i < grad.rows().size(); ++i) {
    T* row = out + grad.rows()[i] * width;
    for (int64_t j = 0; j < width; ++j) row[j] -= rate * g[i * width + j];
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kMomentumSpec =
    KernelSpec<S>().Inputs({S::kLearningRate, S::kVelocity}, AnyDtype());
template <typename T>
absl::Status MomentumKernel(const CpuContext&, const DenseTensor& param,
                            const DenseTensor& grad,
                            const DenseTensor& velocity,
                            const DenseTensor& learning_rate, float mu,
                            bool use_nesterov,
                            std::string_view regularization_method,
                            float regularization_coeff, float rescale_grad,
                            DenseTensor* param_out, DenseTensor* velocity_out) {
  using C = ComputeType<T>;
  const bool decay = regularization_method == "l2_decay";
  const MomentumStep<C> step = {*learning_rate.data<C>(), C(mu),
                                decay ? C(regularization_coeff) : C{0},
                                C(rescale_grad), use_nesterov};
  const T* p = param.data<T>();
  const T* g = grad.data<T>();
  const C* v = velocity.data<C>();
  T* p_out = param_out->mutable_data<T>();
  C* v_out = velocity_out->mutable_data<C>();
  ForEachSpan<T>(param.numel(), {p, g}, p_out,
                 [=](int64_t begin, int64_t size, const C* wide_p,
                     const C* wide_g, C* wide_out) {
                   StepMomentum(wide_p, wide_g, v + begin, step, size, wide_out,
                                v_out + begin);
                 });
  return absl::OkStatus();
}

// The attributes of adam_ and adamw_.
struct AdamAttrs {
  float beta1, beta2, epsilon, lr_ratio, decay;
  bool use_global_beta_pow, amsgrad, multi_precision;
};

// State that a step leaves as it is; optional state may be null.
template <typename C>
void KeepState(const DenseTensor* state, DenseTensor* out) {
  if (out == nullptr || out->data<C>() == state->data<C>()) return;
  std::copy_n(state->data<C>(), state->numel(), out->mutable_data<C>());
}

// The parameter in the dtype that it is stepped in, where it is `used`;
// otherwise none, and what is given stays as it is.
template <typename T>
MasterParam<T> MasterOf(const DenseTensor* in, DenseTensor* out, bool used) {
  using C = ComputeType<T>;
  MasterParam<T> master;
  if (!used) {
    KeepState<C>(in, out);
    return master;
  }
  master.in = in->data<C>();
  if (out != nullptr) master.out = out->mutable_data<C>();
  return master;
}

// Returns whether a step is to leave everything as it is.
inline bool IsSkipped(const DenseTensor* skip_update) {
  return skip_update != nullptr && *skip_update->data<bool>();
}

template <typename T>
absl::Status RunAdam(const DenseTensor& param, const DenseTensor& grad,
                     const DenseTensor& learning_rate,
                     const DenseTensor& moment1, const DenseTensor& moment2,
                     const DenseTensor& beta1_pow, const DenseTensor& beta2_pow,
                     const DenseTensor* moment2_max,
                     const DenseTensor* master_param,
                     const DenseTensor* skip_update, const AdamAttrs& attrs,
                     DenseTensor* param_out, DenseTensor* moment1_out,
                     DenseTensor* moment2_out, DenseTensor* beta1_pow_out,
                     DenseTensor* beta2_pow_out, DenseTensor* moment2_max_out,
                     DenseTensor* master_param_out) {
  using C = ComputeType<T>;
  if (IsSkipped(skip_update)) {
    KeepState<T>(&param, param_out);
    KeepState<C>(&moment1, moment1_out);
    KeepState<C>(&moment2, moment2_out);
    KeepState<C>(&beta1_pow, beta1_pow_out);
    KeepState<C>(&beta2_pow, beta2_pow_out);
    KeepState<C>(moment2_max, moment2_max_out);
    KeepState<C>(master_param, master_param_out);
    return absl::OkStatus();
  }
  const C b1 = attrs.beta1, b2 = attrs.beta2;
  const C pow1 = *beta1_pow.data<C>(), pow2 = *beta2_pow.data<C>();
  const C correction = std::sqrt(C{1} - pow2);
  const C rate = *learning_rate.data<C>() * C(attrs.lr_ratio);
  const AdamStep<C> step = {rate * correction / (C{1} - pow1),
                            C(attrs.epsilon) * correction, b1, b2,
                            C{1} - rate * C(attrs.decay)};
  const C* m1 = moment1.data<C>();
  const C* m2 = moment2.data<C>();
  const C* largest = attrs.amsgrad ? moment2_max->data<C>() : nullptr;
  C* m1_out = moment1_out->mutable_data<C>();
  C* m2_out = moment2_out->mutable_data<C>();
  C* largest_out =
      moment2_max_out == nullptr ? nullptr : moment2_max_out->mutable_data<C>();
  if (!attrs.amsgrad) KeepState<C>(moment2_max, moment2_max_out);
  const MasterParam<T> master =
      MasterOf<T>(master_param, master_param_out, attrs.multi_precision);
  ForEachSpan<T>(
      param.numel(), {param.data<T>(), grad.data<T>()},
      param_out->mutable_data<T>(),
      [=](int64_t begin, int64_t size, const C* p, const C* g, C* out) {
        StepAdam<C>({p, g, m1 + begin, m2 + begin,
                     largest == nullptr ? nullptr : largest + begin, out,
                     m1_out + begin, m2_out + begin,
                     largest == nullptr ? nullptr : largest_out + begin},
                    step, size);
      },
      master);
  const C factor1 = attrs.use_global_beta_pow ? C{1} : b1;
  const C factor2 = attrs.use_global_beta_pow ? C{1} : b2;
  *beta1_pow_out->mutable_data<C>() = pow1 * factor1;
  *beta2_pow_out->mutable_data<C>() = pow2 * factor2;
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
absl::Status AdamKernel(
    const CpuContext&, const DenseTensor& param, const DenseTensor& grad,
    const DenseTensor& learning_rate, const DenseTensor& moment1,
    const DenseTensor& moment2, const DenseTensor& beta1_pow,
    const DenseTensor& beta2_pow, const DenseTensor* moment2_max,
    const DenseTensor* master_param, const DenseTensor* skip_update,
    float beta1, float beta2, float epsilon, bool use_global_beta_pow,
    bool amsgrad, bool multi_precision, DenseTensor* param_out,
    DenseTensor* moment1_out, DenseTensor* moment2_out,
    DenseTensor* beta1_pow_out, DenseTensor* beta2_pow_out,
    DenseTensor* moment2_max_out, DenseTensor* master_param_out) {
  return RunAdam<T>(param, grad, learning_rate, moment1, moment2, beta1_pow,
                    beta2_pow, moment2_max, master_param, skip_update,
                    {beta1, beta2, epsilon, /*lr_ratio=*/1, /*decay=*/0,
                     use_global_beta_pow, amsgrad, multi_precision},
                    param_out, moment1_out, moment2_out, beta1_pow_out,
                    beta2_pow_out, moment2_max_out, master_param_out);
}

template <typename S>
inline constexpr auto kAdamwSpec =
    KernelSpec<S>()
        .Inputs({S::kLearningRate, S::kMoment1, S::kMoment2, S::kBeta1Pow,
                 S::kBeta2Pow, S::kMoment2Max, S::kMasterParam},
                AnyDtype())
        .Input(S::kSkipUpdate, OnHost(Fixed(DataType::kBool)));
template <typename T>
absl::Status AdamwKernel(
    const CpuContext&, const DenseTensor& param, const DenseTensor& grad,
    const DenseTensor& learning_rate, const DenseTensor& moment1,
    const DenseTensor& moment2, const DenseTensor& beta1_pow,
    const DenseTensor& beta2_pow, const DenseTensor* moment2_max,
    const DenseTensor* master_param, const DenseTensor* skip_update,
    float beta1, float beta2, float epsilon, float lr_ratio, float coeff,
    bool with_decay, bool use_global_beta_pow, bool amsgrad,
    bool multi_precision, DenseTensor* param_out, DenseTensor* moment1_out,
    DenseTensor* moment2_out, DenseTensor* beta1_pow_out,
    DenseTensor* beta2_pow_out, DenseTensor* moment2_max_out,
    DenseTensor* master_param_out) {
  return RunAdam<T>(param, grad, learning_rate, moment1, moment2, beta1_pow,
                    beta2_pow, moment2_max, master_param, skip_update,
                    {beta1, beta2, epsilon, lr_ratio, with_decay ? coeff : 0,
                     use_global_beta_pow, amsgrad, multi_precision},
                    param_out, moment1_out, moment2_out, beta1_pow_out,
                    beta2_pow_out, moment2_max_out, master_param_out);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_OPTIMIZER_H_
