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
absl::Status AdamwKernel(
    const ReferenceContext&, const DenseTensor& param, const DenseTensor& grad,
    const DenseTensor& learning_rate, const DenseTensor& moment1,
    const DenseTensor& moment2, const DenseTensor& beta1_pow,
    const DenseTensor& beta2_pow, const DenseTensor* moment2_max,
    const DenseTensor* master_param, const DenseTensor* skip_update,
    double beta1, double beta2, double epsilon, double lr_ratio, double coeff,
    bool with_decay, bool use_global_beta_pow, bool amsgrad,
    bool multi_precision, DenseTensor* param_out, DenseTensor* moment1_out,
    DenseTensor* moment2_out, DenseTensor* beta1_pow_out,
    DenseTensor* beta2_pow_out, DenseTensor* moment2_max_out,
    DenseTensor* master_param_out) {
  using S = StateOf<T>;
  if (skip_update != nullptr && At<bool>(*skip_update, 0)) {
    Keep<T>(&param, param_out);
    Keep<S>(&moment1, moment1_out);
    Keep<S>(&moment2, moment2_out);
    Keep<S>(&beta1_pow, beta1_pow_out);
    Keep<S>(&beta2_pow, beta2_pow_out);
    Keep<S>(moment2_max, moment2_max_out);
    Keep<S>(master_param, master_param_out);
    return absl::OkStatus();
  }
  const double pow1 = At<S>(beta1_pow, 0);
  const double pow2 = At<S>(beta2_pow, 0);
  const double rate = At<S>(learning_rate, 0) * double{lr_ratio};
  for (int64_t i = 0; i < param.numel(); ++i) {
    double p = At<T>(param, i);
    if (multi_precision) p = At<S>(*master_param, i);
    const double g = At<T>(grad, i);
    if (with_decay) p -= rate * coeff * p;
    const double m = beta1 * double{At<S>(moment1, i)} + (1.0 - beta1) * g;
    const double v = beta2 * double{At<S>(moment2, i)} + (1.0 - beta2) * g * g;
    double square = v;
    if (moment2_max != nullptr) {
      const double largest = At<S>(*moment2_max, i);
      if (amsgrad && largest > square) square = largest;
      if (moment2_max_out != nullptr) {
        moment2_max_out->mutable_data<S>()[i] =
            static_cast<S>(amsgrad ? square : largest);
      }
    }
    moment1_out->mutable_data<S>()[i] = static_cast<S>(m);
    moment2_out->mutable_data<S>()[i] = static_cast<S>(v);
    const double unbiased = m / (1 - pow1);
    const double deviation = std::sqrt(square / (1 - pow2));
    const double stepped = p - rate * unbiased / (deviation + epsilon);
    StoreStepped<T>(param_out, i, stepped);
    if (master_param_out != nullptr) {
      master_param_out->mutable_data<S>()[i] =
          multi_precision ? static_cast<S>(stepped) : At<S>(*master_param, i);
    }
  }
  const double factor1 = use_global_beta_pow ? 1.0 : beta1;
  const double factor2 = use_global_beta_pow ? 1.0 : beta2;
  beta1_pow_out->mutable_data<S>()[0] = static_cast<S>(pow1 * factor1);
  beta2_pow_out->mutable_data<S>()[0] = static_cast<S>(pow2 * factor2);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kAdamSpec = kAdamwSpec<S>.Here();
template <typename T>
absl::Status AdamKernel(
    const ReferenceContext& context, const DenseTensor& param,
    const DenseTensor& grad, const DenseTensor& learning_rate,
    const DenseTensor& moment1, const DenseTensor& moment2,
    const DenseTensor& beta1_pow, const DenseTensor& beta2_pow,
    const DenseTensor* moment2_max, const DenseTensor* master_param,
    const DenseTensor* skip_update, double beta1, double beta2, double epsilon,
    bool use_global_beta_pow, bool amsgrad, bool multi_precision,
    bool /*lazy_mode*/, DenseTensor* param_out, DenseTensor* moment1_out,
    DenseTensor* moment2_out, DenseTensor* beta1_pow_out,
    DenseTensor* beta2_pow_out, DenseTensor* moment2_max_out,
    DenseTensor* master_param_out) {
  return AdamwKernel<T>(context, param, grad, learning_rate, moment1, moment2,
                        beta1_pow, beta2_pow, moment2_max, master_param,
                        skip_update, beta1, beta2, epsilon, 1.0f, 0.0f, false,
                        use_global_beta_pow, amsgrad, multi_precision,
                        param_out, moment1_out, moment2_out, beta1_pow_out,
                        beta2_pow_out, moment2_max_out, master_param_out);
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
absl::Status AdamSelectedRowsKernel(
    const ReferenceContext& context, const DenseTensor& param,
    const SelectedRows& grad, const DenseTensor& learning_rate,
    const DenseTensor& moment1, const DenseTensor& moment2,
    const DenseTensor& beta1_pow, const DenseTensor& beta2_pow,
    const DenseTensor* moment2_max, const DenseTensor* master_param,
    const DenseTensor* skip_update, double beta1, double beta2, double epsilon,
    bool use_global_beta_pow, bool amsgrad, bool multi_precision,
    bool lazy_mode, DenseTensor* param_out, DenseTensor* moment1_out,
    DenseTensor* moment2_out, DenseTensor* beta1_pow_out,
    DenseTensor* beta2_pow_out, DenseTensor* moment2_max_out,
    DenseTensor* master_param_out) {
  SY_ASSIGN_OR_RETURN(const int64_t width, CheckedWidth(grad, param));
  SY_ASSIGN_OR_RETURN(
      DenseTensor dense,
      DenseTensor::Allocate(param.dtype(), param.shape(), context.allocator()));
  const int64_t count = param.numel();
  T* const slopes = dense.mutable_data<T>();
  for (int64_t i = 0; i < count; ++i) slopes[i] = T{0};
  std::vector<bool> touched(count, false);
  for (size_t r = 0; r < grad.rows().size(); ++r) {
    for (int64_t c = 0; c < width; ++c) {
      const int64_t at = grad.rows()[r] * width + c;
      slopes[at] += static_cast<T>(
          At<T>(grad.values(), static_cast<int64_t>(r) * width + c));
      touched[at] = true;
    }
  }
  std::vector<Before> all;
  const bool none = grad.rows().empty();
  for (const auto& [in, out] :
       std::initializer_list<std::pair<const DenseTensor*, DenseTensor*>>{
           {&param, param_out},
           {&moment1, moment1_out},
           {&moment2, moment2_out},
           {moment2_max, moment2_max_out},
           {master_param, master_param_out},
           {none ? &beta1_pow : nullptr, beta1_pow_out},
           {none ? &beta2_pow : nullptr, beta2_pow_out}}) {
    if (in == nullptr || out == nullptr || !(lazy_mode || none)) continue;
    all.push_back({out, {}});
    for (int64_t i = 0; i < in->numel(); ++i) {
      all.back().elements.push_back(At<T>(*in, i));
    }
  }
  SY_RETURN_IF_ERROR(AdamKernel<T>(
      context, param, dense, learning_rate, moment1, moment2, beta1_pow,
      beta2_pow, moment2_max, master_param, skip_update, beta1, beta2, epsilon,
      use_global_beta_pow, amsgrad, multi_precision, lazy_mode, param_out,
      moment1_out, moment2_out, beta1_pow_out, beta2_pow_out, moment2_max_out,
      master_param_out));
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
