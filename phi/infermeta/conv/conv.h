// SPDX-License-Identifier: Apache-2.0
// InferMeta of conv2d, depthwise_conv2d, conv3d and the gradients' gradients.
// `input` is [batch, channels, height, width], or [batch, height, width,
// channels] where data_format is "NHWC"; `filter` is [out channels, channels /
// groups, height, width] in both. The windows' geometry is phi/shapes/window.h.
#ifndef SWITCHYARD_PHI_INFERMETA_CONV_CONV_H_
#define SWITCHYARD_PHI_INFERMETA_CONV_CONV_H_

#include <string_view>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

absl::Status ConvInferMeta(const TensorSpec& input, const TensorSpec& filter,
                           absl::Span<const int> strides,
                           absl::Span<const int> paddings,
                           std::string_view padding_algorithm,
                           absl::Span<const int> dilations, int groups,
                           std::string_view data_format, TensorSpec* out);

// The gradient of the gradient; absent gradients are zeros.
absl::Status ConvGradGradInferMeta(
    const TensorSpec& input, const TensorSpec& filter,
    const TensorSpec& out_grad, const TensorSpec* input_grad_grad,
    const TensorSpec* filter_grad_grad, absl::Span<const int> strides,
    absl::Span<const int> paddings, std::string_view padding_algorithm,
    absl::Span<const int> dilations, int groups, std::string_view data_format,
    TensorSpec* input_grad, TensorSpec* filter_grad, TensorSpec* out_grad_grad);

// `input` is [batch, channels, depth, height, width], or "NDHWC".
absl::Status Conv3dInferMeta(const TensorSpec& input, const TensorSpec& filter,
                             absl::Span<const int> strides,
                             absl::Span<const int> paddings,
                             std::string_view padding_algorithm, int groups,
                             absl::Span<const int> dilations,
                             std::string_view data_format, TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_CONV_CONV_H_
