// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/optimizer/optimizer.h"

#include "framework/base/quoted.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"
#include "phi/infermeta/optimizer/optimizer_checks.h"

namespace switchyard::phi {

absl::Status SgdInferMeta(const TensorSpec& param,
                          const TensorSpec& learning_rate,
                          const TensorSpec& grad, TensorSpec* param_out) {
  SY_RETURN_IF_ERROR(CheckNumber("learning_rate", learning_rate, param));
  SY_RETURN_IF_ERROR(CheckLike("grad", grad, param));
  return UnchangedInferMeta(param, param_out);
}

absl::Status MomentumInferMeta(
    const TensorSpec& param, const TensorSpec& grad, const TensorSpec& velocity,
    const TensorSpec& learning_rate, double /*mu*/, bool /*use_nesterov*/,
    std::string_view regularization_method, double /*regularization_coeff*/,
    double /*rescale_grad*/, TensorSpec* param_out, TensorSpec* velocity_out) {
  SY_RETURN_IF_ERROR(CheckLike("grad", grad, param));
  SY_RETURN_IF_ERROR(CheckState("velocity", velocity, param));
  SY_RETURN_IF_ERROR(CheckNumber("learning_rate", learning_rate, param));
  if (!regularization_method.empty() && regularization_method != "l2_decay") {
    return ArgumentError("regularization_method", "\"\" or \"l2_decay\"",
                         Quoted(regularization_method));
  }
  SY_RETURN_IF_ERROR(UnchangedInferMeta(param, param_out));
  return UnchangedInferMeta(velocity, velocity_out);
}

absl::Status AdamInferMeta(
    const TensorSpec& param, const TensorSpec& grad,
    const TensorSpec& learning_rate, const TensorSpec& moment1,
    const TensorSpec& moment2, const TensorSpec& beta1_pow,
    const TensorSpec& beta2_pow, const TensorSpec* moment2_max,
    const TensorSpec* master_param, const TensorSpec* skip_update,
    DoubleValue beta1, DoubleValue beta2, DoubleValue /*epsilon*/,
    bool /*use_global_beta_pow*/, bool amsgrad, bool multi_precision,
    bool /*lazy_mode*/, TensorSpec* param_out, TensorSpec* moment1_out,
    TensorSpec* moment2_out, TensorSpec* beta1_pow_out,
    TensorSpec* beta2_pow_out, TensorSpec* moment2_max_out,
    TensorSpec* master_param_out) {
  SY_RETURN_IF_ERROR(CheckSkipUpdate(skip_update));
  return InferStep(
      {param,
       grad,
       param_out,
       {{"learning_rate", &learning_rate, nullptr, /*number=*/true},
        {"moment1", &moment1, moment1_out},
        {"moment2", &moment2, moment2_out},
        {"beta1_pow", &beta1_pow, beta1_pow_out, /*number=*/true},
        {"beta2_pow", &beta2_pow, beta2_pow_out, /*number=*/true},
        {"moment2_max", moment2_max, moment2_max_out, /*number=*/false,
         amsgrad ? "amsgrad" : nullptr},
        MasterState(master_param, multi_precision, master_param_out)},
       {{"beta1", beta1}, {"beta2", beta2}}});
}

absl::Status AdamwInferMeta(
    const TensorSpec& param, const TensorSpec& grad,
    const TensorSpec& learning_rate, const TensorSpec& moment1,
    const TensorSpec& moment2, const TensorSpec& beta1_pow,
    const TensorSpec& beta2_pow, const TensorSpec* moment2_max,
    const TensorSpec* master_param, const TensorSpec* skip_update,
    DoubleValue beta1, DoubleValue beta2, DoubleValue epsilon,
    double /*lr_ratio*/, double /*coeff*/, bool /*with_decay*/,
    bool use_global_beta_pow, bool amsgrad, bool multi_precision,
    TensorSpec* param_out, TensorSpec* moment1_out, TensorSpec* moment2_out,
    TensorSpec* beta1_pow_out, TensorSpec* beta2_pow_out,
    TensorSpec* moment2_max_out, TensorSpec* master_param_out) {
  return AdamInferMeta(param, grad, learning_rate, moment1, moment2, beta1_pow,
                       beta2_pow, moment2_max, master_param, skip_update, beta1,
                       beta2, epsilon, use_global_beta_pow, amsgrad,
                       multi_precision, /*lazy_mode=*/false, param_out,
                       moment1_out, moment2_out, beta1_pow_out, beta2_pow_out,
                       moment2_max_out, master_param_out);
}

}  // namespace switchyard::phi
