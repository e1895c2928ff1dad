// SPDX-License-Identifier: Apache-2.0
// InferMeta of batch_norm, layer_norm and their gradients. Scale, bias and
// statistics of float16 and bfloat16 tensors are float32.
#ifndef SWITCHYARD_PHI_INFERMETA_NORMALIZATION_NORMALIZATION_H_
#define SWITCHYARD_PHI_INFERMETA_NORMALIZATION_NORMALIZATION_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/types/float_values.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// x is of rank 2 to 5; its channels are axis 1, or the last one where
// data_format is "NHWC".
absl::Status BatchNormInferMeta(
    const TensorSpec& x, const TensorSpec& mean, const TensorSpec& variance,
    const TensorSpec* scale, const TensorSpec* bias, bool is_test,
    DoubleValue momentum, double epsilon, std::string_view data_format,
    bool use_global_stats, bool trainable_statistics, TensorSpec* out,
    TensorSpec* mean_out, TensorSpec* variance_out, TensorSpec* saved_mean,
    TensorSpec* saved_variance);

absl::Status BatchNormGradInferMeta(
    const TensorSpec& x, const TensorSpec* scale, const TensorSpec* bias,
    const TensorSpec& saved_mean, const TensorSpec& saved_variance,
    const TensorSpec& out_grad, double epsilon, std::string_view data_format,
    bool is_test, bool use_global_stats, bool trainable_statistics,
    TensorSpec* x_grad, TensorSpec* scale_grad, TensorSpec* bias_grad);

// Statistics are [the product of the extents before begin_norm_axis]; scale and
// bias are 1-d, of the product of the others.
absl::Status LayerNormInferMeta(const TensorSpec& x, const TensorSpec* scale,
                                const TensorSpec* bias, double epsilon,
                                int begin_norm_axis, TensorSpec* out,
                                TensorSpec* mean, TensorSpec* variance);

absl::Status LayerNormGradInferMeta(
    const TensorSpec& x, const TensorSpec* scale, const TensorSpec* bias,
    const TensorSpec& mean, const TensorSpec& variance,
    const TensorSpec& out_grad, double epsilon, int begin_norm_axis,
    TensorSpec* x_grad, TensorSpec* scale_grad, TensorSpec* bias_grad);

// out: x without `axis`, or with extent 1 there; where `asvector`, without all
// axes. Real for complex x; TypeError for x of integers.
absl::Status PNormInferMeta(const TensorSpec& x, double porder, int axis,
                            bool keepdim, bool asvector, TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_NORMALIZATION_NORMALIZATION_H_
