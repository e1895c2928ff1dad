// SPDX-License-Identifier: Apache-2.0
// Reference kernels of optimizer steps that scale each element by its history.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_OPTIMIZER_ADAPTIVE_OPTIMIZER_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_OPTIMIZER_ADAPTIVE_OPTIMIZER_H_

#include <cmath>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/adadelta_.args.gen.h"
#include "phi/core/signatures/adagrad_.args.gen.h"
#include "phi/core/signatures/adamax_.args.gen.h"
#include "phi/core/signatures/rmsprop_.args.gen.h"
#include "phi/kernels/reference/elements.h"
#include "phi/kernels/reference/optimizer/optimizer.h"

namespace switchyard::phi::kernels::reference {

// The parameter that a step changes: its own elements or, where there is one,
// those of the master in the dtype of the state.
template <typename T>
class SteppedParam {
 public:
  SteppedParam(const DenseTensor& param, const DenseTensor* master, bool used,
               DenseTensor* out, DenseTensor* master_out)
      : param_(param),
        master_(used ? master : nullptr),
        out_(out),
        master_out_(used ? master_out : nullptr) {
    if (!used) Keep<StateOf<T>>(master, master_out);
  }
  double Get(int64_t i) const {
    return master_ == nullptr ? double(At<T>(param_, i))
                              : double(At<StateOf<T>>(*master_, i));
  }
  void Set(int64_t i, double value) {
    StoreStepped<T>(out_, i, value);
    if (master_out_ == nullptr) return;
    master_out_->mutable_data<StateOf<T>>()[i] = static_cast<StateOf<T>>(value);
  }

 private:
  const DenseTensor& param_;
  const DenseTensor* master_;
  DenseTensor* out_;
  DenseTensor* master_out_;
};

// Stores an element of the state of a parameter of dtype T.
template <typename T>
void SetState(DenseTensor* out, int64_t i, double value) {
  if (out == nullptr) return;
  out->mutable_data<StateOf<T>>()[i] = static_cast<StateOf<T>>(value);
}

// Reads one.
template <typename T>
double GetState(const DenseTensor& state, int64_t i) {
  return At<StateOf<T>>(state, i);
}

template <typename S>
inline constexpr auto kRmspropSpec = KernelSpec<S>().AllStrided().Inputs(
    {S::kMeanSquare, S::kMoment, S::kLearningRate, S::kMeanGrad,
     S::kMasterParam},
    WithAnyStrides(AnyDtype()));
// Hinton's lectures, 6e; centred as by Graves, "Generating sequences with
// recurrent neural networks", 2013, equations 38 to 40.
template <typename T>
absl::Status RmspropKernel(const ReferenceContext&, const RmspropArgs& args) {
  SteppedParam<T> stepped(args.param, args.master_param, args.multi_precision,
                          args.param_out, args.master_param_out);
  const double rate = GetState<T>(args.learning_rate, 0), rho = args.decay;
  if (!args.centered) Keep<StateOf<T>>(args.mean_grad, args.mean_grad_out);
  for (int64_t i = 0; i < args.param.numel(); ++i) {
    const double g = At<T>(args.grad, i);
    const double square =
        rho * GetState<T>(args.mean_square, i) + (1 - rho) * g * g;
    double mean = 0;
    if (args.centered) {
      mean = rho * GetState<T>(*args.mean_grad, i) + (1 - rho) * g;
      SetState<T>(args.mean_grad_out, i, mean);
    }
    const double root = std::sqrt(square - mean * mean + args.epsilon);
    const double step =
        args.momentum * GetState<T>(args.moment, i) + rate * g / root;
    SetState<T>(args.mean_square_out, i, square);
    SetState<T>(args.moment_out, i, step);
    stepped.Set(i, stepped.Get(i) - step);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kAdagradSpec = KernelSpec<S>().AllStrided().Inputs(
    {S::kMoment, S::kLearningRate, S::kMasterParam},
    WithAnyStrides(AnyDtype()));
// Duchi, Hazan and Singer, "Adaptive subgradient methods", 2011.
template <typename T>
absl::Status AdagradKernel(const ReferenceContext&, const AdagradArgs& args) {
  SteppedParam<T> stepped(args.param, args.master_param, args.multi_precision,
                          args.param_out, args.master_param_out);
  const double rate = GetState<T>(args.learning_rate, 0);
  for (int64_t i = 0; i < args.param.numel(); ++i) {
    const double g = At<T>(args.grad, i);
    const double total = GetState<T>(args.moment, i) + g * g;
    SetState<T>(args.moment_out, i, total);
    stepped.Set(i,
                stepped.Get(i) - rate * g / (std::sqrt(total) + args.epsilon));
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kAdadeltaSpec = KernelSpec<S>().AllStrided().Inputs(
    {S::kAvgSquaredGrad, S::kAvgSquaredUpdate, S::kLearningRate,
     S::kMasterParam},
    WithAnyStrides(AnyDtype()));
// Zeiler, "ADADELTA", 2012, algorithm 1.
template <typename T>
absl::Status AdadeltaKernel(const ReferenceContext&, const AdadeltaArgs& args) {
  SteppedParam<T> stepped(args.param, args.master_param, args.multi_precision,
                          args.param_out, args.master_param_out);
  const double rate =
      args.learning_rate == nullptr ? 1.0 : GetState<T>(*args.learning_rate, 0);
  const double keep = args.rho;
  for (int64_t i = 0; i < args.param.numel(); ++i) {
    const double g = At<T>(args.grad, i);
    const double before = GetState<T>(args.avg_squared_update, i);
    const double square =
        keep * GetState<T>(args.avg_squared_grad, i) + (1 - keep) * g * g;
    const double length = std::sqrt(before + args.epsilon);
    const double update = -length / std::sqrt(square + args.epsilon) * g;
    SetState<T>(args.moment_out, i, square);
    SetState<T>(args.inf_norm_out, i,
                keep * before + (1 - keep) * update * update);
    stepped.Set(i, stepped.Get(i) + rate * update);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kAdamaxSpec = KernelSpec<S>().AllStrided().Inputs(
    {S::kLearningRate, S::kMoment, S::kInfNorm, S::kBeta1Pow, S::kMasterParam},
    WithAnyStrides(AnyDtype()));
// Kingma and Ba, "Adam", 2015, algorithm 2; epsilon holds the norm off 0.
template <typename T>
absl::Status AdamaxKernel(const ReferenceContext&, const AdamaxArgs& args) {
  SteppedParam<T> stepped(args.param, args.master_param, args.multi_precision,
                          args.param_out, args.master_param_out);
  const double rate = GetState<T>(args.learning_rate, 0);
  const double unbiased = 1 - GetState<T>(args.beta1_pow, 0);
  for (int64_t i = 0; i < args.param.numel(); ++i) {
    const double g = At<T>(args.grad, i);
    const double mean = double{args.beta1} * GetState<T>(args.moment, i) +
                        (1 - double{args.beta1}) * g;
    const double decayed =
        double{args.beta2} * GetState<T>(args.inf_norm, i) + args.epsilon;
    const double norm = decayed > std::fabs(g) ? decayed : std::fabs(g);
    SetState<T>(args.moment_out, i, mean);
    SetState<T>(args.inf_norm_out, i, norm);
    stepped.Set(i, stepped.Get(i) - rate / unbiased * mean / norm);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_OPTIMIZER_ADAPTIVE_OPTIMIZER_H_
