// SPDX-License-Identifier: Apache-2.0
// Optimizer steps on the CPU that scale each element by its history: rmsprop,
// adagrad, adadelta, adamax. Those with more state are in moment_optimizer.h.
// An output may be its input, as in optimizer.h.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_ADAPTIVE_OPTIMIZER_H_
#define SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_ADAPTIVE_OPTIMIZER_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <type_traits>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/adadelta_.args.gen.h"
#include "phi/core/signatures/adagrad_.args.gen.h"
#include "phi/core/signatures/adamax_.args.gen.h"
#include "phi/core/signatures/rmsprop_.args.gen.h"
#include "phi/kernels/cpu/optimizer/optimizer.h"

namespace switchyard::phi::kernels::cpu {

// Steps element by element: step(param, grad, states) returns the parameter's
// new value and changes `states`, a std::array of the element's states, to
// theirs. Tensors of `states_out` that are not wanted are null.
template <typename T, size_t kStates, typename Step>
absl::Status StepElements(const DenseTensor& param, const DenseTensor& grad,
                          const std::array<const DenseTensor*, kStates>& states,
                          DenseTensor* param_out,
                          const std::array<DenseTensor*, kStates>& states_out,
                          MasterParam<T> master, const Step& step) {
  using C = ComputeType<T>;
  std::array<const C*, kStates> from;
  std::array<C*, kStates> to;
  for (size_t s = 0; s < kStates; ++s) {
    from[s] = states[s]->template data<C>();
    to[s] = states_out[s] == nullptr
                ? nullptr
                : states_out[s]->template mutable_data<C>();
  }
  ForEachSpan<T>(
      param.numel(), {param.data<T>(), grad.data<T>()},
      param_out->mutable_data<T>(),
      [=](int64_t begin, int64_t size, const C* p, const C* g, C* out) {
        for (int64_t i = 0; i < size; ++i) {
          std::array<C, kStates> values;
          for (size_t s = 0; s < kStates; ++s) values[s] = from[s][begin + i];
          out[i] = step(p[i], g[i], values);
          for (size_t s = 0; s < kStates; ++s) {
            if (to[s] != nullptr) to[s][begin + i] = values[s];
          }
        }
      },
      master);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kRmspropSpec =
    KernelSpec<S>().Inputs({S::kMeanSquare, S::kMoment, S::kLearningRate,
                            S::kMeanGrad, S::kMasterParam},
                           AnyDtype());
template <typename T>
absl::Status RmspropKernel(const CpuContext&, const RmspropArgs& args) {
  using C = ComputeType<T>;
  const C rate = *args.learning_rate.data<C>();
  const C keep = C(args.decay), fresh = C{1} - C(args.decay),
          mu = C(args.momentum);
  const C tiny = C(args.epsilon);
  const auto step = [=](C p, C g, auto& states) {
    constexpr bool kCentered =
        std::tuple_size_v<std::decay_t<decltype(states)>> == 3;
    C& square = states[0];
    square = keep * square + fresh * g * g;
    C spread = square + tiny;
    if constexpr (kCentered) {
      C& mean = states[2];
      mean = keep * mean + fresh * g;
      spread = square - mean * mean + tiny;
    }
    states[1] = mu * states[1] + rate * g / std::sqrt(spread);
    return p - states[1];
  };
  const MasterParam<T> master = MasterOf<T>(
      args.master_param, args.master_param_out, args.multi_precision);
  if (args.centered) {
    return StepElements<T, 3>(
        args.param, args.grad,
        {&args.mean_square, &args.moment, args.mean_grad}, args.param_out,
        {args.mean_square_out, args.moment_out, args.mean_grad_out}, master,
        step);
  }
  KeepState<C>(args.mean_grad, args.mean_grad_out);
  return StepElements<T, 2>(
      args.param, args.grad, {&args.mean_square, &args.moment}, args.param_out,
      {args.mean_square_out, args.moment_out}, master, step);
}

template <typename S>
inline constexpr auto kAdagradSpec = KernelSpec<S>().Inputs(
    {S::kMoment, S::kLearningRate, S::kMasterParam}, AnyDtype());
template <typename T>
absl::Status AdagradKernel(const CpuContext&, const AdagradArgs& args) {
  using C = ComputeType<T>;
  const C rate = *args.learning_rate.data<C>(), tiny = C(args.epsilon);
  return StepElements<T, 1>(
      args.param, args.grad, {&args.moment}, args.param_out, {args.moment_out},
      MasterOf<T>(args.master_param, args.master_param_out,
                  args.multi_precision),
      [=](C p, C g, auto& states) {
        states[0] += g * g;
        return p - rate * g / (std::sqrt(states[0]) + tiny);
      });
}

template <typename S>
inline constexpr auto kAdadeltaSpec =
    KernelSpec<S>().Inputs({S::kAvgSquaredGrad, S::kAvgSquaredUpdate,
                            S::kLearningRate, S::kMasterParam},
                           AnyDtype());
template <typename T>
absl::Status AdadeltaKernel(const CpuContext&, const AdadeltaArgs& args) {
  using C = ComputeType<T>;
  const C rate =
      args.learning_rate == nullptr ? C{1} : *args.learning_rate->data<C>();
  const C keep = C(args.rho), fresh = C{1} - C(args.rho),
          tiny = C(args.epsilon);
  return StepElements<T, 2>(
      args.param, args.grad, {&args.avg_squared_grad, &args.avg_squared_update},
      args.param_out, {args.moment_out, args.inf_norm_out},
      MasterOf<T>(args.master_param, args.master_param_out,
                  args.multi_precision),
      [=](C p, C g, auto& states) {
        auto& [square, updates] = states;
        square = keep * square + fresh * g * g;
        const C update = -std::sqrt((updates + tiny) / (square + tiny)) * g;
        updates = keep * updates + fresh * update * update;
        return p + rate * update;
      });
}

template <typename S>
inline constexpr auto kAdamaxSpec = KernelSpec<S>().Inputs(
    {S::kLearningRate, S::kMoment, S::kInfNorm, S::kBeta1Pow, S::kMasterParam},
    AnyDtype());
template <typename T>
absl::Status AdamaxKernel(const CpuContext&, const AdamaxArgs& args) {
  using C = ComputeType<T>;
  const C b1 = C(args.beta1), b2 = C(args.beta2), tiny = C(args.epsilon);
  const C rate =
      *args.learning_rate.data<C>() / (C{1} - *args.beta1_pow.data<C>());
  return StepElements<T, 2>(
      args.param, args.grad, {&args.moment, &args.inf_norm}, args.param_out,
      {args.moment_out, args.inf_norm_out},
      MasterOf<T>(args.master_param, args.master_param_out,
                  args.multi_precision),
      [=](C p, C g, auto& states) {
        auto& [mean, norm] = states;
        mean = b1 * mean + (C{1} - b1) * g;
        norm = std::max(std::abs(g), b2 * norm + tiny);
        return p - rate * (mean / norm);
      });
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_ADAPTIVE_OPTIMIZER_H_
