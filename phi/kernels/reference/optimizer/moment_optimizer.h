// SPDX-License-Identifier: Apache-2.0
// Reference kernels of optimizer steps with Adam's two moments and a rate of
// their own.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_OPTIMIZER_MOMENT_OPTIMIZER_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_OPTIMIZER_MOMENT_OPTIMIZER_H_

#include <cmath>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/lamb_.args.gen.h"
#include "phi/core/signatures/nadam_.args.gen.h"
#include "phi/core/signatures/radam_.args.gen.h"
#include "phi/kernels/reference/elements.h"
#include "phi/kernels/reference/optimizer/adaptive_optimizer.h"
#include "phi/kernels/reference/optimizer/optimizer.h"

namespace switchyard::phi::kernels::reference {

// The mean that older gradients leave slowly.
inline double Averaged(double beta, double before, double value) {
  return double{beta} * before + (1 - double{beta}) * value;
}

template <typename S>
inline constexpr auto kLambSpec =
    KernelSpec<S>()
        .AllStrided()
        .Inputs({S::kLearningRate, S::kMoment1, S::kMoment2, S::kBeta1Pow,
                 S::kBeta2Pow, S::kMasterParam},
                WithAnyStrides(AnyDtype()))
        .Input(S::kSkipUpdate, WithAnyStrides(Fixed(DataType::kBool)));
// You et al., "Large batch optimization for deep learning", 2020, algorithm 2.
template <typename T>
absl::Status LambKernel(const ReferenceContext&, const LambArgs& args) {
  using S = StateOf<T>;
  if (args.skip_update != nullptr && At<bool>(*args.skip_update, 0)) {
    Keep<T>(&args.param, args.param_out);
    Keep<S>(&args.moment1, args.moment1_out);
    Keep<S>(&args.moment2, args.moment2_out);
    Keep<S>(&args.beta1_pow, args.beta1_pow_out);
    Keep<S>(&args.beta2_pow, args.beta2_pow_out);
    Keep<S>(args.master_param, args.master_param_out);
    return absl::OkStatus();
  }
  SteppedParam<T> stepped(args.param, args.master_param, args.multi_precision,
                          args.param_out, args.master_param_out);
  const double pow1 = GetState<T>(args.beta1_pow, 0);
  const double pow2 = GetState<T>(args.beta2_pow, 0);
  const double rate = GetState<T>(args.learning_rate, 0);
  std::vector<double> direction;
  double param_square = 0, direction_square = 0;
  for (int64_t i = 0; i < args.param.numel(); ++i) {
    const double p = stepped.Get(i), g = At<T>(args.grad, i);
    const double m = Averaged(args.beta1, GetState<T>(args.moment1, i), g);
    const double v = Averaged(args.beta2, GetState<T>(args.moment2, i), g * g);
    SetState<T>(args.moment1_out, i, m);
    SetState<T>(args.moment2_out, i, v);
    const double deviation = std::sqrt(v / (1 - pow2)) + args.epsilon;
    direction.push_back(m / (1 - pow1) / deviation + args.weight_decay * p);
    param_square += p * p;
    direction_square += direction.back() * direction.back();
  }
  double trust = 1;
  if ((args.weight_decay > 0 || args.always_adapt) && param_square > 0 &&
      direction_square > 0) {
    trust = std::sqrt(param_square) / std::sqrt(direction_square);
  }
  for (int64_t i = 0; i < args.param.numel(); ++i) {
    stepped.Set(i, stepped.Get(i) - rate * trust * direction[i]);
  }
  SetState<T>(args.beta1_pow_out, 0, pow1 * args.beta1);
  SetState<T>(args.beta2_pow_out, 0, pow2 * args.beta2);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kNadamSpec = KernelSpec<S>().AllStrided().Inputs(
    {S::kLearningRate, S::kMomentumDecayPow, S::kBeta2Pow, S::kMuProduct,
     S::kMoment1, S::kMoment2, S::kMasterParam},
    WithAnyStrides(AnyDtype()));
// Dozat, "Incorporating Nesterov momentum into Adam", 2016, with the schedule
// of momentums beta1 * (1 - 0.5 * 0.96^(t * momentum_decay)).
template <typename T>
absl::Status NadamKernel(const ReferenceContext&, const NadamArgs& args) {
  SteppedParam<T> stepped(args.param, args.master_param, args.multi_precision,
                          args.param_out, args.master_param_out);
  const double rate = GetState<T>(args.learning_rate, 0);
  for (int64_t i = 0; i < args.param.numel(); ++i) {
    const double g = At<T>(args.grad, i);
    const double now = 0.96 * GetState<T>(args.momentum_decay_pow, i);
    const auto momentum = [&](double power) {
      return args.beta1 *
             (1 - 0.5 * std::pow(power, double{args.momentum_decay}));
    };
    const double mu = momentum(now), next = momentum(now * 0.96);
    const double product = GetState<T>(args.mu_product, i) * mu;
    const double pow2 = GetState<T>(args.beta2_pow, i) * args.beta2;
    const double m = Averaged(args.beta1, GetState<T>(args.moment1, i), g);
    const double v = Averaged(args.beta2, GetState<T>(args.moment2, i), g * g);
    SetState<T>(args.momentum_decay_pow_out, i, now);
    SetState<T>(args.beta2_pow_out, i, pow2);
    SetState<T>(args.mu_product_out, i, product);
    SetState<T>(args.moment1_out, i, m);
    SetState<T>(args.moment2_out, i, v);
    const double ahead =
        next * m / (1 - product * next) + (1 - mu) * g / (1 - product);
    const double deviation = std::sqrt(v / (1 - pow2)) + args.epsilon;
    stepped.Set(i, stepped.Get(i) - rate * ahead / deviation);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kRadamSpec = KernelSpec<S>().AllStrided().Inputs(
    {S::kLearningRate, S::kBeta1Pow, S::kBeta2Pow, S::kRho, S::kMoment1,
     S::kMoment2, S::kMasterParam},
    WithAnyStrides(AnyDtype()));
// Liu et al., "On the variance of the adaptive learning rate and beyond", 2020,
// algorithm 2. What the length lacks, t beta2^t / (1 - beta2^t), is kept by a
// recurrence instead of t.
template <typename T>
absl::Status RadamKernel(const ReferenceContext&, const RadamArgs& args) {
  SteppedParam<T> stepped(args.param, args.master_param, args.multi_precision,
                          args.param_out, args.master_param_out);
  const double rate = GetState<T>(args.learning_rate, 0);
  const double longest = 2 / (1 - double{args.beta2}) - 1;
  for (int64_t i = 0; i < args.param.numel(); ++i) {
    const double g = At<T>(args.grad, i);
    const double pow1 = GetState<T>(args.beta1_pow, i) * args.beta1;
    const double pow2 = GetState<T>(args.beta2_pow, i) * args.beta2;
    const double lacking =
        (GetState<T>(args.rho, i) * (args.beta2 - pow2) + pow2) / (1 - pow2);
    const double m = Averaged(args.beta1, GetState<T>(args.moment1, i), g);
    const double v = Averaged(args.beta2, GetState<T>(args.moment2, i), g * g);
    SetState<T>(args.beta1_pow_out, i, pow1);
    SetState<T>(args.beta2_pow_out, i, pow2);
    SetState<T>(args.rho_out, i, lacking);
    SetState<T>(args.moment1_out, i, m);
    SetState<T>(args.moment2_out, i, v);
    double step = m / (1 - pow1);
    const double length = longest - 2 * lacking;
    if (length > 5) {
      const double above = (length - 4) * (length - 2) * longest;
      const double below = (longest - 4) * (longest - 2) * length;
      step *= std::sqrt(above / below) * std::sqrt(1 - pow2) /
              (std::sqrt(v) + args.epsilon);
    }
    stepped.Set(i, stepped.Get(i) - rate * step);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_OPTIMIZER_MOMENT_OPTIMIZER_H_
