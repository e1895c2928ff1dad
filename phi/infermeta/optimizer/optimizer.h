// SPDX-License-Identifier: Apache-2.0
// InferMeta of optimizer steps. Every output looks like the input that it
// updates (xxx_out like xxx).
#ifndef SWITCHYARD_PHI_INFERMETA_OPTIMIZER_OPTIMIZER_H_
#define SWITCHYARD_PHI_INFERMETA_OPTIMIZER_OPTIMIZER_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/types/float_values.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// grad: dtype and shape of param. learning_rate: param's dtype, one element. A
// SelectedRows gradient's meta is that of the whole parameter.
absl::Status SgdInferMeta(const TensorSpec& param,
                          const TensorSpec& learning_rate,
                          const TensorSpec& grad, TensorSpec* param_out);

// Also velocity: dtype and shape of param. regularization_method: "" or
// "l2_decay".
absl::Status MomentumInferMeta(const TensorSpec& param, const TensorSpec& grad,
                               const TensorSpec& velocity,
                               const TensorSpec& learning_rate, double mu,
                               bool use_nesterov,
                               std::string_view regularization_method,
                               double regularization_coeff, double rescale_grad,
                               TensorSpec* param_out, TensorSpec* velocity_out);

// Also the moments: param's shape, in its state's dtype (checks.h), which
// beta1_pow, beta2_pow (one element) and learning_rate have too. 0 <= beta < 1.
// moment2_max is needed with amsgrad, master_param (as the moments) with
// multi_precision. A SelectedRows gradient's meta is as in SgdInferMeta.
absl::Status AdamInferMeta(
    const TensorSpec& param, const TensorSpec& grad,
    const TensorSpec& learning_rate, const TensorSpec& moment1,
    const TensorSpec& moment2, const TensorSpec& beta1_pow,
    const TensorSpec& beta2_pow, const TensorSpec* moment2_max,
    const TensorSpec* master_param, const TensorSpec* skip_update,
    DoubleValue beta1, DoubleValue beta2, DoubleValue epsilon,
    bool use_global_beta_pow, bool amsgrad, bool multi_precision,
    bool lazy_mode, TensorSpec* param_out, TensorSpec* moment1_out,
    TensorSpec* moment2_out, TensorSpec* beta1_pow_out,
    TensorSpec* beta2_pow_out, TensorSpec* moment2_max_out,
    TensorSpec* master_param_out);

absl::Status AdamwInferMeta(
    const TensorSpec& param, const TensorSpec& grad,
    const TensorSpec& learning_rate, const TensorSpec& moment1,
    const TensorSpec& moment2, const TensorSpec& beta1_pow,
    const TensorSpec& beta2_pow, const TensorSpec* moment2_max,
    const TensorSpec* master_param, const TensorSpec* skip_update,
    DoubleValue beta1, DoubleValue beta2, DoubleValue epsilon, double lr_ratio,
    double coeff, bool with_decay, bool use_global_beta_pow, bool amsgrad,
    bool multi_precision, TensorSpec* param_out, TensorSpec* moment1_out,
    TensorSpec* moment2_out, TensorSpec* beta1_pow_out,
    TensorSpec* beta2_pow_out, TensorSpec* moment2_max_out,
    TensorSpec* master_param_out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_OPTIMIZER_OPTIMIZER_H_
