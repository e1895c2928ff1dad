// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/adaptive_optimizer.h"

#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise.h"
#include "phi/infermeta/optimizer_checks.h"

namespace switchyard::phi {

absl::Status RmspropInferMeta(
    const TensorSpec& param, const TensorSpec& mean_square,
    const TensorSpec& grad, const TensorSpec& moment,
    const TensorSpec& learning_rate, const TensorSpec* mean_grad,
    const TensorSpec* master_param, float /*epsilon*/, float decay,
    float /*momentum*/, bool centered, bool multi_precision,
    TensorSpec* param_out, TensorSpec* moment_out, TensorSpec* mean_square_out,
    TensorSpec* mean_grad_out, TensorSpec* master_param_out) {
  SY_RETURN_IF_ERROR(CheckState("mean_square", mean_square, param));
  SY_RETURN_IF_ERROR(CheckLike("grad", grad, param));
  SY_RETURN_IF_ERROR(CheckState("moment", moment, param));
  SY_RETURN_IF_ERROR(CheckNumber("learning_rate", learning_rate, param));
  SY_RETURN_IF_ERROR(
      CheckOptionalState("mean_grad", mean_grad, param, centered, "centered"));
  SY_RETURN_IF_ERROR(CheckOptionalState("master_param", master_param, param,
                                        multi_precision, "multi_precision"));
  SY_RETURN_IF_ERROR(CheckBeta("decay", decay));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(param, param_out));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(moment, moment_out));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(mean_square, mean_square_out));
  SY_RETURN_IF_ERROR(UnchangedIfGiven(mean_grad, mean_grad_out));
  return UnchangedIfGiven(master_param, master_param_out);
}

absl::Status AdagradInferMeta(const TensorSpec& param, const TensorSpec& grad,
                              const TensorSpec& moment,
                              const TensorSpec& learning_rate,
                              const TensorSpec* master_param, float /*epsilon*/,
                              bool multi_precision, TensorSpec* param_out,
                              TensorSpec* moment_out,
                              TensorSpec* master_param_out) {
  SY_RETURN_IF_ERROR(CheckLike("grad", grad, param));
  SY_RETURN_IF_ERROR(CheckState("moment", moment, param));
  SY_RETURN_IF_ERROR(CheckNumber("learning_rate", learning_rate, param));
  SY_RETURN_IF_ERROR(CheckOptionalState("master_param", master_param, param,
                                        multi_precision, "multi_precision"));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(param, param_out));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(moment, moment_out));
  return UnchangedIfGiven(master_param, master_param_out);
}

absl::Status AdadeltaInferMeta(const TensorSpec& param, const TensorSpec& grad,
                               const TensorSpec& avg_squared_grad,
                               const TensorSpec& avg_squared_update,
                               const TensorSpec* learning_rate,
                               const TensorSpec* master_param, float rho,
                               float /*epsilon*/, bool multi_precision,
                               TensorSpec* param_out, TensorSpec* moment_out,
                               TensorSpec* inf_norm_out,
                               TensorSpec* master_param_out) {
  SY_RETURN_IF_ERROR(CheckLike("grad", grad, param));
  SY_RETURN_IF_ERROR(CheckState("avg_squared_grad", avg_squared_grad, param));
  SY_RETURN_IF_ERROR(
      CheckState("avg_squared_update", avg_squared_update, param));
  if (learning_rate != nullptr) {
    SY_RETURN_IF_ERROR(CheckNumber("learning_rate", *learning_rate, param));
  }
  SY_RETURN_IF_ERROR(CheckOptionalState("master_param", master_param, param,
                                        multi_precision, "multi_precision"));
  SY_RETURN_IF_ERROR(CheckBeta("rho", rho));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(param, param_out));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(avg_squared_grad, moment_out));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(avg_squared_update, inf_norm_out));
  return UnchangedIfGiven(master_param, master_param_out);
}

absl::Status AdamaxInferMeta(
    const TensorSpec& param, const TensorSpec& grad,
    const TensorSpec& learning_rate, const TensorSpec& moment,
    const TensorSpec& inf_norm, const TensorSpec& beta1_pow,
    const TensorSpec* master_param, float beta1, float beta2, float /*epsilon*/,
    bool multi_precision, TensorSpec* param_out, TensorSpec* moment_out,
    TensorSpec* inf_norm_out, TensorSpec* master_param_out) {
  SY_RETURN_IF_ERROR(CheckLike("grad", grad, param));
  SY_RETURN_IF_ERROR(CheckNumber("learning_rate", learning_rate, param));
  SY_RETURN_IF_ERROR(CheckState("moment", moment, param));
  SY_RETURN_IF_ERROR(CheckState("inf_norm", inf_norm, param));
  SY_RETURN_IF_ERROR(CheckNumber("beta1_pow", beta1_pow, param));
  SY_RETURN_IF_ERROR(CheckOptionalState("master_param", master_param, param,
                                        multi_precision, "multi_precision"));
  SY_RETURN_IF_ERROR(CheckBeta("beta1", beta1));
  SY_RETURN_IF_ERROR(CheckBeta("beta2", beta2));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(param, param_out));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(moment, moment_out));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(inf_norm, inf_norm_out));
  return UnchangedIfGiven(master_param, master_param_out);
}

absl::Status LambInferMeta(
    const TensorSpec& param, const TensorSpec& grad,
    const TensorSpec& learning_rate, const TensorSpec& moment1,
    const TensorSpec& moment2, const TensorSpec& beta1_pow,
    const TensorSpec& beta2_pow, const TensorSpec* master_param,
    const TensorSpec* skip_update, float /*weight_decay*/, float beta1,
    float beta2, float /*epsilon*/, bool /*always_adapt*/, bool multi_precision,
    TensorSpec* param_out, TensorSpec* moment1_out, TensorSpec* moment2_out,
    TensorSpec* beta1_pow_out, TensorSpec* beta2_pow_out,
    TensorSpec* master_param_out) {
  SY_RETURN_IF_ERROR(CheckLike("grad", grad, param));
  SY_RETURN_IF_ERROR(CheckNumber("learning_rate", learning_rate, param));
  SY_RETURN_IF_ERROR(CheckState("moment1", moment1, param));
  SY_RETURN_IF_ERROR(CheckState("moment2", moment2, param));
  SY_RETURN_IF_ERROR(CheckNumber("beta1_pow", beta1_pow, param));
  SY_RETURN_IF_ERROR(CheckNumber("beta2_pow", beta2_pow, param));
  SY_RETURN_IF_ERROR(CheckOptionalState("master_param", master_param, param,
                                        multi_precision, "multi_precision"));
  SY_RETURN_IF_ERROR(CheckSkipUpdate(skip_update));
  SY_RETURN_IF_ERROR(CheckBeta("beta1", beta1));
  SY_RETURN_IF_ERROR(CheckBeta("beta2", beta2));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(param, param_out));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(moment1, moment1_out));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(moment2, moment2_out));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(beta1_pow, beta1_pow_out));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(beta2_pow, beta2_pow_out));
  return UnchangedIfGiven(master_param, master_param_out);
}

absl::Status NadamInferMeta(
    const TensorSpec& param, const TensorSpec& grad,
    const TensorSpec& learning_rate, const TensorSpec& momentum_decay_pow,
    const TensorSpec& beta2_pow, const TensorSpec& mu_product,
    const TensorSpec& moment1, const TensorSpec& moment2,
    const TensorSpec* master_param, float beta1, float beta2, float /*epsilon*/,
    float /*momentum_decay*/, bool multi_precision, TensorSpec* param_out,
    TensorSpec* momentum_decay_pow_out, TensorSpec* beta2_pow_out,
    TensorSpec* mu_product_out, TensorSpec* moment1_out,
    TensorSpec* moment2_out, TensorSpec* master_param_out) {
  SY_RETURN_IF_ERROR(CheckLike("grad", grad, param));
  SY_RETURN_IF_ERROR(CheckNumber("learning_rate", learning_rate, param));
  SY_RETURN_IF_ERROR(
      CheckState("momentum_decay_pow", momentum_decay_pow, param));
  SY_RETURN_IF_ERROR(CheckState("beta2_pow", beta2_pow, param));
  SY_RETURN_IF_ERROR(CheckState("mu_product", mu_product, param));
  SY_RETURN_IF_ERROR(CheckState("moment1", moment1, param));
  SY_RETURN_IF_ERROR(CheckState("moment2", moment2, param));
  SY_RETURN_IF_ERROR(CheckOptionalState("master_param", master_param, param,
                                        multi_precision, "multi_precision"));
  SY_RETURN_IF_ERROR(CheckBeta("beta1", beta1));
  SY_RETURN_IF_ERROR(CheckBeta("beta2", beta2));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(param, param_out));
  SY_RETURN_IF_ERROR(
      UnchangedInferMeta(momentum_decay_pow, momentum_decay_pow_out));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(beta2_pow, beta2_pow_out));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(mu_product, mu_product_out));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(moment1, moment1_out));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(moment2, moment2_out));
  return UnchangedIfGiven(master_param, master_param_out);
}

absl::Status RadamInferMeta(
    const TensorSpec& param, const TensorSpec& grad,
    const TensorSpec& learning_rate, const TensorSpec& beta1_pow,
    const TensorSpec& beta2_pow, const TensorSpec& rho,
    const TensorSpec& moment1, const TensorSpec& moment2,
    const TensorSpec* master_param, float beta1, float beta2, float /*epsilon*/,
    bool multi_precision, TensorSpec* param_out, TensorSpec* beta1_pow_out,
    TensorSpec* beta2_pow_out, TensorSpec* rho_out, TensorSpec* moment1_out,
    TensorSpec* moment2_out, TensorSpec* master_param_out) {
  SY_RETURN_IF_ERROR(CheckLike("grad", grad, param));
  SY_RETURN_IF_ERROR(CheckNumber("learning_rate", learning_rate, param));
  SY_RETURN_IF_ERROR(CheckState("beta1_pow", beta1_pow, param));
  SY_RETURN_IF_ERROR(CheckState("beta2_pow", beta2_pow, param));
  SY_RETURN_IF_ERROR(CheckState("rho", rho, param));
  SY_RETURN_IF_ERROR(CheckState("moment1", moment1, param));
  SY_RETURN_IF_ERROR(CheckState("moment2", moment2, param));
  SY_RETURN_IF_ERROR(CheckOptionalState("master_param", master_param, param,
                                        multi_precision, "multi_precision"));
  SY_RETURN_IF_ERROR(CheckBeta("beta1", beta1));
  SY_RETURN_IF_ERROR(CheckBeta("beta2", beta2));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(param, param_out));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(beta1_pow, beta1_pow_out));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(beta2_pow, beta2_pow_out));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(rho, rho_out));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(moment1, moment1_out));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(moment2, moment2_out));
  return UnchangedIfGiven(master_param, master_param_out);
}

}  // namespace switchyard::phi
