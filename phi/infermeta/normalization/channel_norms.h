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

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_NORMALIZATION_CHANNEL_NORMS_H_
