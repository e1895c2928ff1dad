// SPDX-License-Identifier: Apache-2.0
// Optimizer steps on the CPU that scale each element by its history: rmsprop,
// adagrad, adadelta, adamax. Those with more state are in moment_optimizer.h.
// An output may be its input, as in optimizer.h.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_ADAPTIVE_OPTIMIZER_H_
#define SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_ADAPTIVE_OPTIMIZER_H_

#include <algorithm>
#include <cmath>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/optimizer/optimizer.h"

namespace switchyard::phi::kernels::cpu {

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

template <typename S>
inline constexpr auto kRmspropSpec = KernelSpec<S>()
                                         .Input(S::kMeanSquare, AnyDtype())
                                         .Input(S::kMoment, AnyDtype())
                                         .Input(S::kLearningRate, AnyDtype())
                                         .Input(S::kMeanGrad, AnyDtype())
                                         .Input(S::kMasterParam, AnyDtype());
template <typename T>
absl::Status RmspropKernel(
    const CpuContext&, const DenseTensor& param, const DenseTensor& mean_square,
    const DenseTensor& grad, const DenseTensor& moment,
    const DenseTensor& learning_rate, const DenseTensor* mean_grad,
    const DenseTensor* master_param, float epsilon, float decay, float momentum,
    bool centered, bool multi_precision, DenseTensor* param_out,
    DenseTensor* moment_out, DenseTensor* mean_square_out,
    DenseTensor* mean_grad_out, DenseTensor* master_param_out) {
  using C = ComputeType<T>;
  const C rate = *learning_rate.data<C>();
  const C keep = decay, fresh = C{1} - C(decay), mu = momentum, tiny = epsilon;
  const C* squares = mean_square.data<C>();
  const C* moments = moment.data<C>();
  const C* means = centered ? mean_grad->data<C>() : nullptr;
  C* squares_out = mean_square_out->mutable_data<C>();
  C* moments_out = moment_out->mutable_data<C>();
  C* means_out = centered && mean_grad_out != nullptr
                     ? mean_grad_out->mutable_data<C>()
                     : nullptr;
  if (!centered) KeepState<C>(mean_grad, mean_grad_out);
  const MasterParam<T> master =
      MasterOf<T>(master_param, master_param_out, multi_precision);
  ForEachSpan<T>(
      param.numel(), {param.data<T>(), grad.data<T>()},
      param_out->mutable_data<T>(),
      [=](int64_t begin, int64_t size, const C* p, const C* g, C* out) {
        for (int64_t i = 0; i < size; ++i) {
          const int64_t at = begin + i;
          const C square = keep * squares[at] + fresh * g[i] * g[i];
          C spread = square + tiny;
          if (means != nullptr) {
            const C mean = keep * means[at] + fresh * g[i];
            spread = square - mean * mean + tiny;
            if (means_out != nullptr) means_out[at] = mean;
          }
          const C step = mu * moments[at] + rate * g[i] / std::sqrt(spread);
          squares_out[at] = square;
          moments_out[at] = step;
          out[i] = p[i] - step;
        }
      },
      master);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kAdagradSpec = KernelSpec<S>()
                                         .Input(S::kMoment, AnyDtype())
                                         .Input(S::kLearningRate, AnyDtype())
                                         .Input(S::kMasterParam, AnyDtype());
template <typename T>
absl::Status AdagradKernel(const CpuContext&, const DenseTensor& param,
                           const DenseTensor& grad, const DenseTensor& moment,
                           const DenseTensor& learning_rate,
                           const DenseTensor* master_param, float epsilon,
                           bool multi_precision, DenseTensor* param_out,
                           DenseTensor* moment_out,
                           DenseTensor* master_param_out) {
  using C = ComputeType<T>;
  const C rate = *learning_rate.data<C>(), tiny = epsilon;
  const C* moments = moment.data<C>();
  C* moments_out = moment_out->mutable_data<C>();
  const MasterParam<T> master =
      MasterOf<T>(master_param, master_param_out, multi_precision);
  ForEachSpan<T>(
      param.numel(), {param.data<T>(), grad.data<T>()},
      param_out->mutable_data<T>(),
      [=](int64_t begin, int64_t size, const C* p, const C* g, C* out) {
        for (int64_t i = 0; i < size; ++i) {
          const C total = moments[begin + i] + g[i] * g[i];
          moments_out[begin + i] = total;
          out[i] = p[i] - rate * g[i] / (std::sqrt(total) + tiny);
        }
      },
      master);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kAdadeltaSpec = KernelSpec<S>()
                                          .Input(S::kAvgSquaredGrad, AnyDtype())
                                          .Input(S::kAvgSquaredUpdate,
                                                 AnyDtype())
                                          .Input(S::kLearningRate, AnyDtype())
                                          .Input(S::kMasterParam, AnyDtype());
template <typename T>
absl::Status AdadeltaKernel(
    const CpuContext&, const DenseTensor& param, const DenseTensor& grad,
    const DenseTensor& avg_squared_grad, const DenseTensor& avg_squared_update,
    const DenseTensor* learning_rate, const DenseTensor* master_param,
    float rho, float epsilon, bool multi_precision, DenseTensor* param_out,
    DenseTensor* moment_out, DenseTensor* inf_norm_out,
    DenseTensor* master_param_out) {
  using C = ComputeType<T>;
  const C rate = learning_rate == nullptr ? C{1} : *learning_rate->data<C>();
  const C keep = rho, fresh = C{1} - C(rho), tiny = epsilon;
  const C* grads = avg_squared_grad.data<C>();
  const C* updates = avg_squared_update.data<C>();
  C* grads_out = moment_out->mutable_data<C>();
  C* updates_out = inf_norm_out->mutable_data<C>();
  const MasterParam<T> master =
      MasterOf<T>(master_param, master_param_out, multi_precision);
  ForEachSpan<T>(
      param.numel(), {param.data<T>(), grad.data<T>()},
      param_out->mutable_data<T>(),
      [=](int64_t begin, int64_t size, const C* p, const C* g, C* out) {
        for (int64_t i = 0; i < size; ++i) {
          const int64_t at = begin + i;
          const C square = keep * grads[at] + fresh * g[i] * g[i];
          const C update =
              -std::sqrt((updates[at] + tiny) / (square + tiny)) * g[i];
          updates_out[at] = keep * updates[at] + fresh * update * update;
          grads_out[at] = square;
          out[i] = p[i] + rate * update;
        }
      },
      master);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kAdamaxSpec = KernelSpec<S>()
                                        .Input(S::kLearningRate, AnyDtype())
                                        .Input(S::kMoment, AnyDtype())
                                        .Input(S::kInfNorm, AnyDtype())
                                        .Input(S::kBeta1Pow, AnyDtype())
                                        .Input(S::kMasterParam, AnyDtype());
template <typename T>
absl::Status AdamaxKernel(
    const CpuContext&, const DenseTensor& param, const DenseTensor& grad,
    const DenseTensor& learning_rate, const DenseTensor& moment,
    const DenseTensor& inf_norm, const DenseTensor& beta1_pow,
    const DenseTensor* master_param, float beta1, float beta2, float epsilon,
    bool multi_precision, DenseTensor* param_out, DenseTensor* moment_out,
    DenseTensor* inf_norm_out, DenseTensor* master_param_out) {
  using C = ComputeType<T>;
  const C b1 = beta1, b2 = beta2, tiny = epsilon;
  const C rate = *learning_rate.data<C>() / (C{1} - *beta1_pow.data<C>());
  const C* moments = moment.data<C>();
  const C* norms = inf_norm.data<C>();
  C* moments_out = moment_out->mutable_data<C>();
  C* norms_out = inf_norm_out->mutable_data<C>();
  const MasterParam<T> master =
      MasterOf<T>(master_param, master_param_out, multi_precision);
  ForEachSpan<T>(
      param.numel(), {param.data<T>(), grad.data<T>()},
      param_out->mutable_data<T>(),
      [=](int64_t begin, int64_t size, const C* p, const C* g, C* out) {
        for (int64_t i = 0; i < size; ++i) {
          const int64_t at = begin + i;
          const C mean = b1 * moments[at] + (C{1} - b1) * g[i];
          const C norm = std::max(std::abs(g[i]), b2 * norms[at] + tiny);
          moments_out[at] = mean;
          norms_out[at] = norm;
          out[i] = p[i] - rate * (mean / norm);
        }
      },
      master);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_ADAPTIVE_OPTIMIZER_H_
