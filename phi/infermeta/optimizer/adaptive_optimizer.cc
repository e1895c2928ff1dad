// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/optimizer/adaptive_optimizer.h"

#include "phi/infermeta/optimizer/optimizer_checks.h"

namespace switchyard::phi {

absl::Status RmspropInferMeta(
    const TensorSpec& param, const TensorSpec& mean_square,
    const TensorSpec& grad, const TensorSpec& moment,
    const TensorSpec& learning_rate, const TensorSpec* mean_grad,
    const TensorSpec* master_param, double /*epsilon*/, double decay,
    double /*momentum*/, bool centered, bool multi_precision,
    TensorSpec* param_out, TensorSpec* moment_out, TensorSpec* mean_square_out,
    TensorSpec* mean_grad_out, TensorSpec* master_param_out) {
  return InferStep(
      {param,
       grad,
       param_out,
       {{"mean_square", &mean_square, mean_square_out},
        {"moment", &moment, moment_out},
        {"learning_rate", &learning_rate, nullptr, /*number=*/true},
        {"mean_grad", mean_grad, mean_grad_out, /*number=*/false,
         centered ? "centered" : nullptr},
        MasterState(master_param, multi_precision, master_param_out)},
       {{"decay", decay}}});
}

absl::Status AdagradInferMeta(const TensorSpec& param, const TensorSpec& grad,
                              const TensorSpec& moment,
                              const TensorSpec& learning_rate,
                              const TensorSpec* master_param,
                              double /*epsilon*/, bool multi_precision,
                              TensorSpec* param_out, TensorSpec* moment_out,
                              TensorSpec* master_param_out) {
  return InferStep(
      {param,
       grad,
       param_out,
       {{"moment", &moment, moment_out},
        {"learning_rate", &learning_rate, nullptr, /*number=*/true},
        MasterState(master_param, multi_precision, master_param_out)},
       {}});
}

absl::Status AdadeltaInferMeta(const TensorSpec& param, const TensorSpec& grad,
                               const TensorSpec& avg_squared_grad,
                               const TensorSpec& avg_squared_update,
                               const TensorSpec* learning_rate,
                               const TensorSpec* master_param, double rho,
                               double /*epsilon*/, bool multi_precision,
                               TensorSpec* param_out, TensorSpec* moment_out,
                               TensorSpec* inf_norm_out,
                               TensorSpec* master_param_out) {
  if (learning_rate != nullptr) {
    SY_RETURN_IF_ERROR(CheckNumber("learning_rate", *learning_rate, param));
  }
  return InferStep(
      {param,
       grad,
       param_out,
       {{"avg_squared_grad", &avg_squared_grad, moment_out},
        {"avg_squared_update", &avg_squared_update, inf_norm_out},
        MasterState(master_param, multi_precision, master_param_out)},
       {{"rho", rho}}});
}

absl::Status AdamaxInferMeta(const TensorSpec& param, const TensorSpec& grad,
                             const TensorSpec& learning_rate,
                             const TensorSpec& moment,
                             const TensorSpec& inf_norm,
                             const TensorSpec& beta1_pow,
                             const TensorSpec* master_param, double beta1,
                             double beta2, double /*epsilon*/,
                             bool multi_precision, TensorSpec* param_out,
                             TensorSpec* moment_out, TensorSpec* inf_norm_out,
                             TensorSpec* master_param_out) {
  return InferStep(
      {param,
       grad,
       param_out,
       {{"learning_rate", &learning_rate, nullptr, /*number=*/true},
        {"moment", &moment, moment_out},
        {"inf_norm", &inf_norm, inf_norm_out},
        {"beta1_pow", &beta1_pow, nullptr, /*number=*/true},
        MasterState(master_param, multi_precision, master_param_out)},
       {{"beta1", beta1}, {"beta2", beta2}}});
}

absl::Status LambInferMeta(
    const TensorSpec& param, const TensorSpec& grad,
    const TensorSpec& learning_rate, const TensorSpec& moment1,
    const TensorSpec& moment2, const TensorSpec& beta1_pow,
    const TensorSpec& beta2_pow, const TensorSpec* master_param,
    const TensorSpec* skip_update, double /*weight_decay*/, double beta1,
    double beta2, double /*epsilon*/, bool /*always_adapt*/,
    bool multi_precision, TensorSpec* param_out, TensorSpec* moment1_out,
    TensorSpec* moment2_out, TensorSpec* beta1_pow_out,
    TensorSpec* beta2_pow_out, TensorSpec* master_param_out) {
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
        MasterState(master_param, multi_precision, master_param_out)},
       {{"beta1", beta1}, {"beta2", beta2}}});
}

absl::Status NadamInferMeta(
    const TensorSpec& param, const TensorSpec& grad,
    const TensorSpec& learning_rate, const TensorSpec& momentum_decay_pow,
    const TensorSpec& beta2_pow, const TensorSpec& mu_product,
    const TensorSpec& moment1, const TensorSpec& moment2,
    const TensorSpec* master_param, double beta1, double beta2,
    double /*epsilon*/, double /*momentum_decay*/, bool multi_precision,
    TensorSpec* param_out, TensorSpec* momentum_decay_pow_out,
    TensorSpec* beta2_pow_out, TensorSpec* mu_product_out,
    TensorSpec* moment1_out, TensorSpec* moment2_out,
    TensorSpec* master_param_out) {
  return InferStep(
      {param,
       grad,
       param_out,
       {{"learning_rate", &learning_rate, nullptr, /*number=*/true},
        {"momentum_decay_pow", &momentum_decay_pow, momentum_decay_pow_out},
        {"beta2_pow", &beta2_pow, beta2_pow_out},
        {"mu_product", &mu_product, mu_product_out},
        {"moment1", &moment1, moment1_out},
        {"moment2", &moment2, moment2_out},
        MasterState(master_param, multi_precision, master_param_out)},
       {{"beta1", beta1}, {"beta2", beta2}}});
}

absl::Status RadamInferMeta(
    const TensorSpec& param, const TensorSpec& grad,
    const TensorSpec& learning_rate, const TensorSpec& beta1_pow,
    const TensorSpec& beta2_pow, const TensorSpec& rho,
    const TensorSpec& moment1, const TensorSpec& moment2,
    const TensorSpec* master_param, double beta1, double beta2,
    double /*epsilon*/, bool multi_precision, TensorSpec* param_out,
    TensorSpec* beta1_pow_out, TensorSpec* beta2_pow_out, TensorSpec* rho_out,
    TensorSpec* moment1_out, TensorSpec* moment2_out,
    TensorSpec* master_param_out) {
  return InferStep(
      {param,
       grad,
       param_out,
       {{"learning_rate", &learning_rate, nullptr, /*number=*/true},
        {"beta1_pow", &beta1_pow, beta1_pow_out},
        {"beta2_pow", &beta2_pow, beta2_pow_out},
        {"rho", &rho, rho_out},
        {"moment1", &moment1, moment1_out},
        {"moment2", &moment2, moment2_out},
        MasterState(master_param, multi_precision, master_param_out)},
       {{"beta1", beta1}, {"beta2", beta2}}});
}

}  // namespace switchyard::phi
