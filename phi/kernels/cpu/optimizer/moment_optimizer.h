// SPDX-License-Identifier: Apache-2.0
// Optimizer steps on the CPU with Adam's two moments and a rate of their own:
// lamb, nadam, radam. An output may be its input, as in optimizer.h.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_MOMENT_OPTIMIZER_H_
#define SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_MOMENT_OPTIMIZER_H_

#include <cmath>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/lamb_.args.gen.h"
#include "phi/core/signatures/nadam_.args.gen.h"
#include "phi/core/signatures/radam_.args.gen.h"
#include "phi/kernels/cpu/optimizer/adaptive_optimizer.h"
#include "phi/kernels/cpu/optimizer/optimizer.h"

namespace switchyard::phi::kernels::cpu {

// The numbers of one step of LAMB; the corrections of bias are factors.
template <typename C>
struct LambStep {
  C correction1, correction2, epsilon, decay;

  // The direction of an element, from its moments.
  C Direction(C param, C moment1, C moment2) const {
    return moment1 * correction1 /
               (std::sqrt(moment2 * correction2) + epsilon) +
           decay * param;
  }
};

// The length of the parameter over that of the direction; 1 where one is 0.
template <typename C, typename Param>
C TrustRatio(const LambStep<C>& step, const Param* param, const C* moment1,
             const C* moment2, int64_t count) {
  double param_square = 0, direction_square = 0;
  for (int64_t i = 0; i < count; ++i) {
    const C p = static_cast<C>(param[i]);
    const double d = step.Direction(p, moment1[i], moment2[i]);
    param_square += double{p} * double{p};
    direction_square += d * d;
  }
  if (!(param_square > 0 && direction_square > 0)) return C{1};
  return static_cast<C>(std::sqrt(param_square / direction_square));
}

template <typename S>
inline constexpr auto kLambSpec = KernelSpec<S>()
                                      .Inputs({S::kLearningRate, S::kMoment1,
                                               S::kMoment2, S::kBeta1Pow,
                                               S::kBeta2Pow, S::kMasterParam},
                                              AnyDtype())
                                      .Input(S::kSkipUpdate,
                                             OnHost(Fixed(DataType::kBool)));
template <typename T>
absl::Status LambKernel(const CpuContext&, const LambArgs& args) {
  using C = ComputeType<T>;
  if (IsSkipped(args.skip_update)) {
    KeepState<T>(&args.param, args.param_out);
    KeepState<C>(&args.moment1, args.moment1_out);
    KeepState<C>(&args.moment2, args.moment2_out);
    KeepState<C>(&args.beta1_pow, args.beta1_pow_out);
    KeepState<C>(&args.beta2_pow, args.beta2_pow_out);
    KeepState<C>(args.master_param, args.master_param_out);
    return absl::OkStatus();
  }
  const C b1 = C(args.beta1), b2 = C(args.beta2);
  const C pow1 = *args.beta1_pow.data<C>(), pow2 = *args.beta2_pow.data<C>();
  const LambStep<C> step = {C{1} / (C{1} - pow1), C{1} / (C{1} - pow2),
                            C(args.epsilon), C(args.weight_decay)};
  C rate = *args.learning_rate.data<C>();
  const int64_t count = args.param.numel();
  const T* p = args.param.data<T>();
  const T* g = args.grad.data<T>();
  const C *m1 = args.moment1.data<C>(), *m2 = args.moment2.data<C>();
  C* m1_out = args.moment1_out->mutable_data<C>();
  C* m2_out = args.moment2_out->mutable_data<C>();
  ParallelFor(0, count, kOptimizerGrain, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const C slope = static_cast<C>(g[i]);
      m1_out[i] = b1 * m1[i] + (C{1} - b1) * slope;
      m2_out[i] = b2 * m2[i] + (C{1} - b2) * slope * slope;
    }
  });
  const MasterParam<T> master = MasterOf<T>(
      args.master_param, args.master_param_out, args.multi_precision);
  if (args.weight_decay > 0 || args.always_adapt) {
    rate *= master.in == nullptr
                ? TrustRatio(step, p, m1_out, m2_out, count)
                : TrustRatio(step, master.in, m1_out, m2_out, count);
  }
  ForEachSpan<T>(
      count, {p, g}, args.param_out->mutable_data<T>(),
      [=](int64_t begin, int64_t size, const C* wide, const C*, C* out) {
        for (int64_t i = 0; i < size; ++i) {
          const int64_t at = begin + i;
          out[i] =
              wide[i] - rate * step.Direction(wide[i], m1_out[at], m2_out[at]);
        }
      },
      master);
  if (args.beta1_pow_out != nullptr) {
    *args.beta1_pow_out->mutable_data<C>() = pow1 * b1;
  }
  if (args.beta2_pow_out != nullptr)
    *args.beta2_pow_out->mutable_data<C>() = pow2 * b2;
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kNadamSpec = KernelSpec<S>().Inputs(
    {S::kLearningRate, S::kMomentumDecayPow, S::kBeta2Pow, S::kMuProduct,
     S::kMoment1, S::kMoment2, S::kMasterParam},
    AnyDtype());
template <typename T>
absl::Status NadamKernel(const CpuContext&, const NadamArgs& args) {
  using C = ComputeType<T>;
  constexpr C kBase = C(0.96);  // Of the schedule of momentums.
  const C b1 = C(args.beta1), b2 = C(args.beta2), tiny = C(args.epsilon);
  const C power = C(args.momentum_decay);
  const C rate = *args.learning_rate.data<C>();
  const C next_factor = std::pow(kBase, power);
  return StepElements<T, 5>(
      args.param, args.grad,
      {&args.momentum_decay_pow, &args.beta2_pow, &args.mu_product,
       &args.moment1, &args.moment2},
      args.param_out,
      {args.momentum_decay_pow_out, args.beta2_pow_out, args.mu_product_out,
       args.moment1_out, args.moment2_out},
      MasterOf<T>(args.master_param, args.master_param_out,
                  args.multi_precision),
      [=](C p, C g, auto& states) {
        auto& [decay, pow2, product, first, second] = states;
        decay *= kBase;
        pow2 *= b2;
        const C scheduled = std::pow(decay, power) * C(0.5);
        const C mu = b1 * (C{1} - scheduled);
        const C next_mu = b1 * (C{1} - scheduled * next_factor);
        product *= mu;
        first = b1 * first + (C{1} - b1) * g;
        second = b2 * second + (C{1} - b2) * g * g;
        const C ahead = next_mu * first / (C{1} - product * next_mu) +
                        (C{1} - mu) * g / (C{1} - product);
        return p - rate * ahead / (std::sqrt(second / (C{1} - pow2)) + tiny);
      });
}

// The factor of a step of RAdam whose average has the length `length`, of at
// most `longest`, and the correction that its second moment takes; 1 while the
// average is too short for a variance.
template <typename C>
C RectifiedFactor(C length, C longest, C correction, C second, C tiny) {
  constexpr C kShortest = 5;
  if (!(length > kShortest)) return C{1};
  const C rectified = std::sqrt(((length - C{4}) * (length - C{2}) * longest) /
                                ((longest - C{4}) * (longest - C{2}) * length));
  return rectified * std::sqrt(correction) / (std::sqrt(second) + tiny);
}

template <typename S>
inline constexpr auto kRadamSpec =
    KernelSpec<S>().Inputs({S::kLearningRate, S::kBeta1Pow, S::kBeta2Pow,
                            S::kRho, S::kMoment1, S::kMoment2, S::kMasterParam},
                           AnyDtype());
template <typename T>
absl::Status RadamKernel(const CpuContext&, const RadamArgs& args) {
  using C = ComputeType<T>;
  const C b1 = C(args.beta1), b2 = C(args.beta2), tiny = C(args.epsilon);
  const C rate = *args.learning_rate.data<C>();
  const C longest = C{2} / (C{1} - b2) - C{1};
  return StepElements<T, 5>(
      args.param, args.grad,
      {&args.beta1_pow, &args.beta2_pow, &args.rho, &args.moment1,
       &args.moment2},
      args.param_out,
      {args.beta1_pow_out, args.beta2_pow_out, args.rho_out, args.moment1_out,
       args.moment2_out},
      MasterOf<T>(args.master_param, args.master_param_out,
                  args.multi_precision),
      [=](C p, C g, auto& states) {
        auto& [pow1, pow2, lacking, first, second] = states;
        pow1 *= b1;
        pow2 *= b2;
        lacking = (lacking * (b2 - pow2) + pow2) / (C{1} - pow2);
        first = b1 * first + (C{1} - b1) * g;
        second = b2 * second + (C{1} - b2) * g * g;
        const C factor = RectifiedFactor(longest - C{2} * lacking, longest,
                                         C{1} - pow2, second, tiny);
        return p - rate * (first / (C{1} - pow1)) * factor;
      });
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_OPTIMIZER_MOMENT_OPTIMIZER_H_
