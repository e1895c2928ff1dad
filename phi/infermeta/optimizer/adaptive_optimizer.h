// SPDX-License-Identifier: Apache-2.0
// InferMeta of optimizer steps that scale each element by its history. Each
// output is as the input that it is written over. Gradients and state have the
// shape of the parameter, except numbers of one element; state is float32 for
// parameters in half precision.
#ifndef SWITCHYARD_PHI_INFERMETA_OPTIMIZER_ADAPTIVE_OPTIMIZER_H_
#define SWITCHYARD_PHI_INFERMETA_OPTIMIZER_ADAPTIVE_OPTIMIZER_H_

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// mean_grad must be given where centered.
absl::Status RmspropInferMeta(
    const TensorSpec& param, const TensorSpec& mean_square,
    const TensorSpec& grad, const TensorSpec& moment,
    const TensorSpec& learning_rate, const TensorSpec* mean_grad,
    const TensorSpec* master_param, double epsilon, double decay,
    double momentum, bool centered, bool multi_precision, TensorSpec* param_out,
    TensorSpec* moment_out, TensorSpec* mean_square_out,
    TensorSpec* mean_grad_out, TensorSpec* master_param_out);

absl::Status AdagradInferMeta(const TensorSpec& param, const TensorSpec& grad,
                              const TensorSpec& moment,
                              const TensorSpec& learning_rate,
                              const TensorSpec* master_param, double epsilon,
                              bool multi_precision, TensorSpec* param_out,
                              TensorSpec* moment_out,
                              TensorSpec* master_param_out);

// learning_rate may be absent: it is 1 then.
absl::Status AdadeltaInferMeta(const TensorSpec& param, const TensorSpec& grad,
                               const TensorSpec& avg_squared_grad,
                               const TensorSpec& avg_squared_update,
                               const TensorSpec* learning_rate,
                               const TensorSpec* master_param, double rho,
                               double epsilon, bool multi_precision,
                               TensorSpec* param_out, TensorSpec* moment_out,
                               TensorSpec* inf_norm_out,
                               TensorSpec* master_param_out);

// beta1_pow: one element.
absl::Status AdamaxInferMeta(
    const TensorSpec& param, const TensorSpec& grad,
    const TensorSpec& learning_rate, const TensorSpec& moment,
    const TensorSpec& inf_norm, const TensorSpec& beta1_pow,
    const TensorSpec* master_param, double beta1, double beta2, double epsilon,
    bool multi_precision, TensorSpec* param_out, TensorSpec* moment_out,
    TensorSpec* inf_norm_out, TensorSpec* master_param_out);

// beta1_pow and beta2_pow: one element.
absl::Status LambInferMeta(
    const TensorSpec& param, const TensorSpec& grad,
    const TensorSpec& learning_rate, const TensorSpec& moment1,
    const TensorSpec& moment2, const TensorSpec& beta1_pow,
    const TensorSpec& beta2_pow, const TensorSpec* master_param,
    const TensorSpec* skip_update, double weight_decay, double beta1,
    double beta2, double epsilon, bool always_adapt, bool multi_precision,
    TensorSpec* param_out, TensorSpec* moment1_out, TensorSpec* moment2_out,
    TensorSpec* beta1_pow_out, TensorSpec* beta2_pow_out,
    TensorSpec* master_param_out);

// The powers and the product have the shape of the parameter.
absl::Status NadamInferMeta(
    const TensorSpec& param, const TensorSpec& grad,
    const TensorSpec& learning_rate, const TensorSpec& momentum_decay_pow,
    const TensorSpec& beta2_pow, const TensorSpec& mu_product,
    const TensorSpec& moment1, const TensorSpec& moment2,
    const TensorSpec* master_param, double beta1, double beta2, double epsilon,
    double momentum_decay, bool multi_precision, TensorSpec* param_out,
    TensorSpec* momentum_decay_pow_out, TensorSpec* beta2_pow_out,
    TensorSpec* mu_product_out, TensorSpec* moment1_out,
    TensorSpec* moment2_out, TensorSpec* master_param_out);

// The powers and rho have the shape of the parameter.
absl::Status RadamInferMeta(
    const TensorSpec& param, const TensorSpec& grad,
    const TensorSpec& learning_rate, const TensorSpec& beta1_pow,
    const TensorSpec& beta2_pow, const TensorSpec& rho,
    const TensorSpec& moment1, const TensorSpec& moment2,
    const TensorSpec* master_param, double beta1, double beta2, double epsilon,
    bool multi_precision, TensorSpec* param_out, TensorSpec* beta1_pow_out,
    TensorSpec* beta2_pow_out, TensorSpec* rho_out, TensorSpec* moment1_out,
    TensorSpec* moment2_out, TensorSpec* master_param_out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_OPTIMIZER_ADAPTIVE_OPTIMIZER_H_
