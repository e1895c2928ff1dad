// SPDX-License-Identifier: Apache-2.0
// Reference kernels of Adam, with a dense gradient or one of rows. As in
// optimizer.h an output may be the input that it updates.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_OPTIMIZER_ADAM_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_OPTIMIZER_ADAM_H_

#include <cmath>
#include <initializer_list>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/selected_rows.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/adam_.args.gen.h"
#include "phi/core/signatures/adamw_.args.gen.h"
#include "phi/kernels/reference/elements.h"
#include "phi/kernels/reference/optimizer/optimizer.h"

namespace switchyard::phi::kernels::reference {

template <typename S>
inline constexpr auto kAdamwSpec =
    KernelSpec<S>()
        .AllStrided()
        .Inputs({S::kLearningRate, S::kMoment1, S::kMoment2, S::kBeta1Pow,
                 S::kBeta2Pow, S::kMoment2Max, S::kMasterParam},
                WithAnyStrides(AnyDtype()))
        .Input(S::kSkipUpdate, WithAnyStrides(Fixed(DataType::kBool)));
// Loshchilov and Hutter, "Decoupled weight decay regularization", 2019,
// algorithm 2; with `decay` 0 it is Kingma and Ba, "Adam", 2015, algorithm 1.
// The correction of bias is taken into the step: beta1_pow and beta2_pow are
// the powers of this step.
template <typename T>
absl::Status AdamwKernel(const ReferenceContext&, const AdamwArgs& args) {
  using S = StateOf<T>;
  if (args.skip_update != nullptr && At<bool>(*args.skip_update, 0)) {
    Keep<T>(&args.param, args.param_out);
    Keep<S>(&args.moment1, args.moment1_out);
    Keep<S>(&args.moment2, args.moment2_out);
    Keep<S>(&args.beta1_pow, args.beta1_pow_out);
    Keep<S>(&args.beta2_pow, args.beta2_pow_out);
    Keep<S>(args.moment2_max, args.moment2_max_out);
    Keep<S>(args.master_param, args.master_param_out);
    return absl::OkStatus();
  }
  const double pow1 = At<S>(args.beta1_pow, 0);
  const double pow2 = At<S>(args.beta2_pow, 0);
  const double rate = At<S>(args.learning_rate, 0) * double{args.lr_ratio};
  for (int64_t i = 0; i < args.param.numel(); ++i) {
    double p = At<T>(args.param, i);
    if (args.multi_precision) p = At<S>(*args.master_param, i);
    const double g = At<T>(args.grad, i);
    if (args.with_decay) p -= rate * args.coeff * p;
    const double m =
        args.beta1 * double{At<S>(args.moment1, i)} + (1.0 - args.beta1) * g;
    const double v = args.beta2 * double{At<S>(args.moment2, i)} +
                     (1.0 - args.beta2) * g * g;
    double square = v;
    if (args.moment2_max != nullptr) {
      const double largest = At<S>(*args.moment2_max, i);
      if (args.amsgrad && largest > square) square = largest;
      if (args.moment2_max_out != nullptr) {
        args.moment2_max_out->mutable_data<S>()[i] =
            static_cast<S>(args.amsgrad ? square : largest);
      }
    }
    args.moment1_out->mutable_data<S>()[i] = static_cast<S>(m);
    args.moment2_out->mutable_data<S>()[i] = static_cast<S>(v);
    const double unbiased = m / (1 - pow1);
    const double deviation = std::sqrt(square / (1 - pow2));
    const double stepped = p - rate * unbiased / (deviation + args.epsilon);
    StoreStepped<T>(args.param_out, i, stepped);
    if (args.master_param_out != nullptr) {
      args.master_param_out->mutable_data<S>()[i] =
          args.multi_precision ? static_cast<S>(stepped)
                               : At<S>(*args.master_param, i);
    }
  }
  const double factor1 = args.use_global_beta_pow ? 1.0 : args.beta1;
  const double factor2 = args.use_global_beta_pow ? 1.0 : args.beta2;
  args.beta1_pow_out->mutable_data<S>()[0] = static_cast<S>(pow1 * factor1);
  args.beta2_pow_out->mutable_data<S>()[0] = static_cast<S>(pow2 * factor2);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kAdamSpec = kAdamwSpec<S>.Here();
template <typename T>
absl::Status AdamKernel(const ReferenceContext& context, const AdamArgs& args) {
  return AdamwKernel<T>(context, {args.param,
                                  args.grad,
                                  args.learning_rate,
                                  args.moment1,
                                  args.moment2,
                                  args.beta1_pow,
                                  args.beta2_pow,
                                  args.moment2_max,
                                  args.master_param,
                                  args.skip_update,
                                  args.beta1,
                                  args.beta2,
                                  args.epsilon,
                                  1.0f,
                                  0.0f,
                                  false,
                                  args.use_global_beta_pow,
                                  args.amsgrad,
                                  args.multi_precision,
                                  args.param_out,
                                  args.moment1_out,
                                  args.moment2_out,
                                  args.beta1_pow_out,
                                  args.beta2_pow_out,
                                  args.moment2_max_out,
                                  args.master_param_out});
}

// The elements of a tensor before a step.
struct Before {
  DenseTensor* out;
  std::vector<double> elements;
};

template <typename S>
inline constexpr auto kAdamSelectedRowsSpec = kAdamSpec<S>.Here();
// A step with the matrix that the rows stand for. With `lazy_mode` what is not
// of these rows gets its elements back. A gradient without rows makes no step.
template <typename T>
absl::Status AdamSelectedRowsKernel(const ReferenceContext& context,
                                    const AdamSelectedRowsArgs& args) {
  SY_ASSIGN_OR_RETURN(const int64_t width, CheckedWidth(args.grad, args.param));
  SY_ASSIGN_OR_RETURN(
      DenseTensor dense,
      DenseTensor::Allocate(args.param.dtype(), args.param.shape(),
                            context.allocator()));
  const int64_t count = args.param.numel();
  T* const slopes = dense.mutable_data<T>();
  for (int64_t i = 0; i < count; ++i) slopes[i] = T{0};
  std::vector<bool> touched(count, false);
  for (size_t r = 0; r < args.grad.rows().size(); ++r) {
    for (int64_t c = 0; c < width; ++c) {
      const int64_t at = args.grad.rows()[r] * width + c;
      slopes[at] += static_cast<T>(
          At<T>(args.grad.values(), static_cast<int64_t>(r) * width + c));
      touched[at] = true;
    }
  }
  std::vector<Before> all;
  const bool none = args.grad.rows().empty();
  for (const auto& [in, out] :
       std::initializer_list<std::pair<const DenseTensor*, DenseTensor*>>{
           {&args.param, args.param_out},
           {&args.moment1, args.moment1_out},
           {&args.moment2, args.moment2_out},
           {args.moment2_max, args.moment2_max_out},
           {args.master_param, args.master_param_out},
           {none ? &args.beta1_pow : nullptr, args.beta1_pow_out},
           {none ? &args.beta2_pow : nullptr, args.beta2_pow_out}}) {
    if (in == nullptr || out == nullptr || !(args.lazy_mode || none)) continue;
    all.push_back({out, {}});
    for (int64_t i = 0; i < in->numel(); ++i) {
      all.back().elements.push_back(At<T>(*in, i));
    }
  }
  SY_RETURN_IF_ERROR(
      AdamKernel<T>(context, {args.param,           dense,
                              args.learning_rate,   args.moment1,
                              args.moment2,         args.beta1_pow,
                              args.beta2_pow,       args.moment2_max,
                              args.master_param,    args.skip_update,
                              args.beta1,           args.beta2,
                              args.epsilon,         args.use_global_beta_pow,
                              args.amsgrad,         args.multi_precision,
                              args.lazy_mode,       args.param_out,
                              args.moment1_out,     args.moment2_out,
                              args.beta1_pow_out,   args.beta2_pow_out,
                              args.moment2_max_out, args.master_param_out}));
  for (const Before& before : all) {
    for (size_t i = 0; i < before.elements.size(); ++i) {
      if (!none && touched[i]) continue;
      before.out->mutable_data<T>()[i] = static_cast<T>(before.elements[i]);
    }
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_OPTIMIZER_ADAM_H_
