// SPDX-License-Identifier: Apache-2.0
// InferMeta of pool2d and its gradients. `x` is [batch, channels, height,
// width], or [batch, height, width, channels] where data_format is "NHWC".
// Windows whose extents a program supplies are checked when it runs.
#ifndef SWITCHYARD_PHI_INFERMETA_POOLING_POOLING_H_
#define SWITCHYARD_PHI_INFERMETA_POOLING_POOLING_H_

#include <string_view>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/attr_value.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

absl::Status Pool2dInferMeta(const TensorSpec& x, AttrValues kernel_size,
                             absl::Span<const int> strides,
                             absl::Span<const int> paddings, bool ceil_mode,
                             bool exclusive, std::string_view data_format,
                             std::string_view pooling_type, bool global_pooling,
                             bool adaptive, std::string_view padding_algorithm,
                             TensorSpec* out);

// The gradient of the gradient, with respect to out_grad.
absl::Status Pool2dDoubleGradInferMeta(
    const TensorSpec& x, const TensorSpec& out, const TensorSpec& x_grad_grad,
    AttrValues kernel_size, absl::Span<const int> strides,
    absl::Span<const int> paddings, bool ceil_mode, bool exclusive,
    std::string_view data_format, std::string_view pooling_type,
    bool global_pooling, bool adaptive, std::string_view padding_algorithm,
    TensorSpec* out_grad_grad);

// x is [batch, channels, depth, height, width], or "NDHWC".
absl::Status Pool3dInferMeta(const TensorSpec& x,
                             absl::Span<const int64_t> kernel_size,
                             absl::Span<const int> strides,
                             absl::Span<const int> paddings, bool ceil_mode,
                             bool exclusive, std::string_view data_format,
                             std::string_view pooling_type, bool global_pooling,
                             bool adaptive, std::string_view padding_algorithm,
                             TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_POOLING_POOLING_H_
