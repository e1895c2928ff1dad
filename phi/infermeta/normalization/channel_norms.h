// SPDX-License-Identifier: Apache-2.0
// InferMeta of group_norm and instance_norm. Their gradients follow by rule
// (phi/infermeta/gradient.h). Statistics of float16 and bfloat16 tensors are
// float32; scale and bias may be either.
#ifndef SWITCHYARD_PHI_INFERMETA_NORMALIZATION_CHANNEL_NORMS_H_
#define SWITCHYARD_PHI_INFERMETA_NORMALIZATION_CHANNEL_NORMS_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// Channels are axis 1, or the last one of "NHWC", "NLC" and "NDHWC"; their
// number must be known, and `groups` divide it. mean and variance are [batch,
// groups].
absl::Status GroupNormInferMeta(const TensorSpec& x, const TensorSpec* scale,
                                const TensorSpec* bias, double epsilon,
                                int groups, std::string_view data_format,
                                TensorSpec* out, TensorSpec* mean,
                                TensorSpec* variance);

// Channels are axis 1. saved_mean and saved_variance are [batch * channels].
absl::Status InstanceNormInferMeta(const TensorSpec& x, const TensorSpec* scale,
                                   const TensorSpec* bias, double epsilon,
                                   TensorSpec* out, TensorSpec* saved_mean,
                                   TensorSpec* saved_variance);

// Gradients of the results are like them. x_grad: as x; scale_grad and
// bias_grad: as scale and bias, and where those are absent [channels] of the
// statistics' dtype.
absl::Status GroupNormGradInferMeta(
    const TensorSpec& x, const TensorSpec* scale, const TensorSpec* bias,
    const TensorSpec& mean, const TensorSpec& variance,
    const TensorSpec& out_grad, const TensorSpec* mean_grad,
    const TensorSpec* variance_grad, double epsilon, int groups,
    std::string_view data_format, TensorSpec* x_grad, TensorSpec* scale_grad,
    TensorSpec* bias_grad);
absl::Status InstanceNormGradInferMeta(
    const TensorSpec& x, const TensorSpec* scale, const TensorSpec* bias,
    const TensorSpec& saved_mean, const TensorSpec& saved_variance,
    const TensorSpec& out_grad, const TensorSpec* saved_mean_grad,
    const TensorSpec* saved_variance_grad, double epsilon, TensorSpec* x_grad,
    TensorSpec* scale_grad, TensorSpec* bias_grad);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_NORMALIZATION_CHANNEL_NORMS_H_
