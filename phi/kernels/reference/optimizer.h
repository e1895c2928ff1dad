// SPDX-License-Identifier: Apache-2.0
// Reference kernels of the optimizers, in double, as their papers write them.
// An output may be the input that it updates: every element is read before it
// is written.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_OPTIMIZER_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_OPTIMIZER_H_

#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/selected_rows.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// The type of state and learning rate.
template <typename T>
using StateOf = std::conditional_t<sizeof(T) == 2, float, T>;

template <typename T>
void StoreStepped(DenseTensor* out, int64_t i, double value) {
  out->mutable_data<T>()[i] = static_cast<T>(static_cast<StateOf<T>>(value));
}

template <typename S>
inline constexpr auto kSgdSpec = KernelSpec<S>().AllStrided().Input(
    S::kLearningRate, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status SgdKernel(const ReferenceContext&, const DenseTensor& param,
                       const DenseTensor& learning_rate,
                       const DenseTensor& grad, DenseTensor* param_out) {
  const double rate = At<StateOf<T>>(learning_rate, 0);
  for (int64_t i = 0; i < param.numel(); ++i) {
    StoreStepped<T>(param_out, i, At<T>(param, i) - rate * At<T>(grad, i));
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kSgdSelectedRowsSpec = KernelSpec<S>().AllStrided();
// A row that occurs twice is stepped twice.
template <typename T>
absl::Status SgdSelectedRowsKernel(const ReferenceContext&,
                                   const DenseTensor& param,
                                   const DenseTensor& learning_rate,
                                   const SelectedRows& grad,
                                   DenseTensor* param_out) {
  const int64_t height = param.rank() == 0 ? 1 : param.extent(0);
  const int64_t width = height == 0 ? 0 : param.numel() / height;
  for (const int64_t row : grad.rows()) {
    if (row < 0 || row >= height) {
      return RangeError("grad",
                        "of rows in [0, " + std::to_string(height) + ")",
                        std::to_string(row));
    }
  }
  const auto rows = static_cast<int64_t>(grad.rows().size());
  if (grad.values().numel() != rows * width) {
    return ArgumentError("grad",
                         "of " + std::to_string(rows * width) + " values",
                         std::to_string(grad.values().numel()));
  }
  for (int64_t i = 0; i < param.numel(); ++i) {
    param_out->mutable_data<T>()[i] = At<T>(param, i);
  }
  const double rate = At<T>(learning_rate, 0);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < width; ++c) {
      T& v = param_out->mutable_data<T>()[grad.rows()[r] * width + c];
      v = static_cast<T>(v - rate * At<T>(grad.values(), r * width + c));
    }
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kMomentumSpec = KernelSpec<S>().AllStrided().Inputs(
    {S::kLearningRate, S::kVelocity}, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status MomentumKernel(const ReferenceContext&, const DenseTensor& param,
                            const DenseTensor& grad,
                            const DenseTensor& velocity,
                            const DenseTensor& learning_rate, float mu,
                            bool use_nesterov,
                            std::string_view regularization_method,
                            float regularization_coeff, float rescale_grad,
                            DenseTensor* param_out, DenseTensor* velocity_out) {
  using S = StateOf<T>;
  const double rate = At<S>(learning_rate, 0);
  const double decay =
      regularization_method == "l2_decay" ? regularization_coeff : 0.0;
  for (int64_t i = 0; i < param.numel(); ++i) {
    const double p = At<T>(param, i);
    const double g = double{rescale_grad} * At<T>(grad, i) + decay * p;
    const double v = At<S>(velocity, i) * double{mu} + g;
    velocity_out->mutable_data<S>()[i] = static_cast<S>(v);
    StoreStepped<T>(param_out, i, p - rate * (use_nesterov ? g + v * mu : v));
  }
  return absl::OkStatus();
}

template <typename T>
void Keep(const DenseTensor* state, DenseTensor* out) {
  if (out == nullptr) return;
  for (int64_t i = 0; i < out->numel(); ++i) {
    out->mutable_data<T>()[i] = At<T>(*state, i);
  }
}

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
    float beta1, float beta2, float epsilon, float lr_ratio, float coeff,
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
inline constexpr auto kAdamSpec =
    KernelSpec<S>()
        .AllStrided()
        .Inputs({S::kLearningRate, S::kMoment1, S::kMoment2, S::kBeta1Pow,
                 S::kBeta2Pow, S::kMoment2Max, S::kMasterParam},
                WithAnyStrides(AnyDtype()))
        .Input(S::kSkipUpdate, WithAnyStrides(Fixed(DataType::kBool)));
template <typename T>
absl::Status AdamKernel(
    const ReferenceContext& context, const DenseTensor& param,
    const DenseTensor& grad, const DenseTensor& learning_rate,
    const DenseTensor& moment1, const DenseTensor& moment2,
    const DenseTensor& beta1_pow, const DenseTensor& beta2_pow,
    const DenseTensor* moment2_max, const DenseTensor* master_param,
    const DenseTensor* skip_update, float beta1, float beta2, float epsilon,
    bool use_global_beta_pow, bool amsgrad, bool multi_precision,
    DenseTensor* param_out, DenseTensor* moment1_out, DenseTensor* moment2_out,
    DenseTensor* beta1_pow_out, DenseTensor* beta2_pow_out,
    DenseTensor* moment2_max_out, DenseTensor* master_param_out) {
  return AdamwKernel<T>(context, param, grad, learning_rate, moment1, moment2,
                        beta1_pow, beta2_pow, moment2_max, master_param,
                        skip_update, beta1, beta2, epsilon, 1.0f, 0.0f, false,
                        use_global_beta_pow, amsgrad, multi_precision,
                        param_out, moment1_out, moment2_out, beta1_pow_out,
                        beta2_pow_out, moment2_max_out, master_param_out);
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_OPTIMIZER_H_
