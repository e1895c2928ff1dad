// SPDX-License-Identifier: Apache-2.0
// InferMeta of batch_norm, layer_norm and their gradients. Scale, bias and
// statistics of float16 and bfloat16 tensors are float32.
#ifndef SWITCHYARD_PHI_INFERMETA_NORMALIZATION_H_
#define SWITCHYARD_PHI_INFERMETA_NORMALIZATION_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/tensor/meta_tensor.h"

namespace switchyard::phi {

// x is of rank 2 to 5; its channels are axis 1, or the last one where
// data_format is "NHWC".
absl::Status BatchNormInferMeta(
    const MetaTensor& x, const MetaTensor& mean, const MetaTensor& variance,
    const MetaTensor* scale, const MetaTensor* bias, bool is_test,
    float momentum, float epsilon, std::string_view data_format,
    bool use_global_stats, bool trainable_statistics, MetaTensor* out,
    MetaTensor* mean_out, MetaTensor* variance_out, MetaTensor* saved_mean,
    MetaTensor* saved_variance);

absl::Status BatchNormGradInferMeta(
    const MetaTensor& x, const MetaTensor* scale, const MetaTensor* bias,
    const MetaTensor& saved_mean, const MetaTensor& saved_variance,
    const MetaTensor& out_grad, float epsilon, std::string_view data_format,
    bool is_test, bool use_global_stats, bool trainable_statistics,
    MetaTensor* x_grad, MetaTensor* scale_grad, MetaTensor* bias_grad);

// Statistics are [the product of the extents before begin_norm_axis]; scale and
// bias are 1-d, of the product of the others.
absl::Status LayerNormInferMeta(const MetaTensor& x, const MetaTensor* scale,
                                const MetaTensor* bias, float epsilon,
                                int begin_norm_axis, MetaTensor* out,
                                MetaTensor* mean, MetaTensor* variance);

absl::Status LayerNormGradInferMeta(
    const MetaTensor& x, const MetaTensor* scale, const MetaTensor* bias,
    const MetaTensor& mean, const MetaTensor& variance,
    const MetaTensor& out_grad, float epsilon, int begin_norm_axis,
    MetaTensor* x_grad, MetaTensor* scale_grad, MetaTensor* bias_grad);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_NORMALIZATION_H_
