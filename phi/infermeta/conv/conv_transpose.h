// SPDX-License-Identifier: Apache-2.0
// InferMeta of conv2d_transpose, conv3d_transpose and a gradient's gradient.
// `x` is [batch, channels, height, width], or [batch, height, width, channels]
// where data_format is "NHWC"; `filter` is [channels, out channels / groups,
// height, width] in both. The windows' geometry is phi/shapes/window.h.
#ifndef SWITCHYARD_PHI_INFERMETA_CONV_CONV_TRANSPOSE_H_
#define SWITCHYARD_PHI_INFERMETA_CONV_CONV_TRANSPOSE_H_

#include <string_view>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/attr_value.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

absl::Status ConvTransposeInferMeta(
    const TensorSpec& x, const TensorSpec& filter,
    absl::Span<const int> strides, absl::Span<const int> paddings,
    absl::Span<const int> output_padding, AttrValues output_size,
    std::string_view padding_algorithm, int groups,
    absl::Span<const int> dilations, std::string_view data_format,
    TensorSpec* out);

// The gradient of the gradient; absent gradients are zeros.
absl::Status ConvTransposeGradGradInferMeta(
    const TensorSpec& x, const TensorSpec& filter, const TensorSpec& out_grad,
    const TensorSpec* x_grad_grad, const TensorSpec* filter_grad_grad,
    absl::Span<const int> strides, absl::Span<const int> paddings,
    absl::Span<const int> output_padding, AttrValues output_size,
    std::string_view padding_algorithm, int groups,
    absl::Span<const int> dilations, std::string_view data_format,
    TensorSpec* x_grad, TensorSpec* filter_grad, TensorSpec* out_grad_grad);

// Those of conv3d_transpose, of tensors with a depth before the height.
absl::Status Conv3dTransposeInferMeta(
    const TensorSpec& x, const TensorSpec& filter,
    absl::Span<const int> strides, absl::Span<const int> paddings,
    absl::Span<const int> output_padding, absl::Span<const int> output_size,
    std::string_view padding_algorithm, int groups,
    absl::Span<const int> dilations, std::string_view data_format,
    TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_CONV_CONV_TRANSPOSE_H_
