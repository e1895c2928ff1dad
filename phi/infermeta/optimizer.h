// SPDX-License-Identifier: Apache-2.0
// InferMeta of optimizer steps. Every output looks like the input that it
// updates (xxx_out like xxx).
#ifndef SWITCHYARD_PHI_INFERMETA_OPTIMIZER_H_
#define SWITCHYARD_PHI_INFERMETA_OPTIMIZER_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/tensor/meta_tensor.h"

namespace switchyard::phi {

// grad: dtype and shape of param. learning_rate: param's dtype, one element. A
// SelectedRows gradient's meta is that of the whole parameter.
absl::Status SgdInferMeta(const MetaTensor& param,
                          const MetaTensor& learning_rate,
                          const MetaTensor& grad, MetaTensor* param_out);

// Also velocity: dtype and shape of param. regularization_method: "" or
// "l2_decay".
absl::Status MomentumInferMeta(const MetaTensor& param, const MetaTensor& grad,
                               const MetaTensor& velocity,
                               const MetaTensor& learning_rate, float mu,
                               bool use_nesterov,
                               std::string_view regularization_method,
                               float regularization_coeff, float rescale_grad,
                               MetaTensor* param_out, MetaTensor* velocity_out);

// Also the moments: param's shape, in its state's dtype (checks.h), which
// beta1_pow, beta2_pow (one element) and learning_rate have too. 0 <= beta < 1.
// moment2_max is needed with amsgrad, master_param (as the moments) with
// multi_precision.
absl::Status AdamInferMeta(
    const MetaTensor& param, const MetaTensor& grad,
    const MetaTensor& learning_rate, const MetaTensor& moment1,
    const MetaTensor& moment2, const MetaTensor& beta1_pow,
    const MetaTensor& beta2_pow, const MetaTensor* moment2_max,
    const MetaTensor* master_param, const MetaTensor* skip_update, float beta1,
    float beta2, float epsilon, bool use_global_beta_pow, bool amsgrad,
    bool multi_precision, MetaTensor* param_out, MetaTensor* moment1_out,
    MetaTensor* moment2_out, MetaTensor* beta1_pow_out,
    MetaTensor* beta2_pow_out, MetaTensor* moment2_max_out,
    MetaTensor* master_param_out);

absl::Status AdamwInferMeta(
    const MetaTensor& param, const MetaTensor& grad,
    const MetaTensor& learning_rate, const MetaTensor& moment1,
    const MetaTensor& moment2, const MetaTensor& beta1_pow,
    const MetaTensor& beta2_pow, const MetaTensor* moment2_max,
    const MetaTensor* master_param, const MetaTensor* skip_update, float beta1,
    float beta2, float epsilon, float lr_ratio, float coeff, bool with_decay,
    bool use_global_beta_pow, bool amsgrad, bool multi_precision,
    MetaTensor* param_out, MetaTensor* moment1_out, MetaTensor* moment2_out,
    MetaTensor* beta1_pow_out, MetaTensor* beta2_pow_out,
    MetaTensor* moment2_max_out, MetaTensor* master_param_out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_OPTIMIZER_H_
