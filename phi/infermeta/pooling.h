// SPDX-License-Identifier: Apache-2.0
// InferMeta of pool2d and its gradients. `x` is [batch, channels, height,
// width], or [batch, height, width, channels] where data_format is "NHWC".
#ifndef SWITCHYARD_PHI_INFERMETA_POOLING_H_
#define SWITCHYARD_PHI_INFERMETA_POOLING_H_

#include <string_view>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/tensor/meta_tensor.h"

namespace switchyard::phi {

absl::Status Pool2dInferMeta(const MetaTensor& x,
                             absl::Span<const int64_t> kernel_size,
                             absl::Span<const int> strides,
                             absl::Span<const int> paddings, bool ceil_mode,
                             bool exclusive, std::string_view data_format,
                             std::string_view pooling_type, bool global_pooling,
                             bool adaptive, std::string_view padding_algorithm,
                             MetaTensor* out);

absl::Status Pool2dGradInferMeta(
    const MetaTensor& x, const MetaTensor& out, const MetaTensor& out_grad,
    absl::Span<const int64_t> kernel_size, absl::Span<const int> strides,
    absl::Span<const int> paddings, bool ceil_mode, bool exclusive,
    std::string_view data_format, std::string_view pooling_type,
    bool global_pooling, bool adaptive, std::string_view padding_algorithm,
    MetaTensor* x_grad);

// The gradient of the gradient, with respect to out_grad.
absl::Status Pool2dDoubleGradInferMeta(
    const MetaTensor& x, const MetaTensor& out, const MetaTensor& x_grad_grad,
    absl::Span<const int64_t> kernel_size, absl::Span<const int> strides,
    absl::Span<const int> paddings, bool ceil_mode, bool exclusive,
    std::string_view data_format, std::string_view pooling_type,
    bool global_pooling, bool adaptive, std::string_view padding_algorithm,
    MetaTensor* out_grad_grad);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_POOLING_H_
