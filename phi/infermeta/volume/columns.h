// SPDX-License-Identifier: Apache-2.0
// InferMeta of poolings that yield positions, of what undoes them, and of
// unfold and fold.
#ifndef SWITCHYARD_PHI_INFERMETA_VOLUME_COLUMNS_H_
#define SWITCHYARD_PHI_INFERMETA_VOLUME_COLUMNS_H_

#include <string_view>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// x is [batch, channels, height, width]; `mask` is int32.
absl::Status MaxPool2dWithIndexInferMeta(const TensorSpec& x,
                                         absl::Span<const int> kernel_size,
                                         absl::Span<const int> strides,
                                         absl::Span<const int> paddings,
                                         bool global_pooling, bool adaptive,
                                         bool ceil_mode, TensorSpec* out,
                                         TensorSpec* mask);

// x has a depth before the height.
absl::Status MaxPool3dWithIndexInferMeta(const TensorSpec& x,
                                         absl::Span<const int> kernel_size,
                                         absl::Span<const int> strides,
                                         absl::Span<const int> paddings,
                                         bool global_pooling, bool adaptive,
                                         bool ceil_mode, TensorSpec* out,
                                         TensorSpec* mask);

// `indices` are int32 or int64, of x's shape.
absl::Status UnpoolInferMeta(const TensorSpec& x, const TensorSpec& indices,
                             absl::Span<const int64_t> output_size,
                             std::string_view data_format, TensorSpec* out);

absl::Status Unpool3dInferMeta(const TensorSpec& x, const TensorSpec& indices,
                               absl::Span<const int> output_size,
                               std::string_view data_format, TensorSpec* out);

// x is [batch, channels, height, width], `out` [batch, channels * elements of a
// window, windows]. `paddings` are {height, width} or {top, left, bottom,
// right}.
absl::Status UnfoldInferMeta(const TensorSpec& x,
                             absl::Span<const int> kernel_sizes,
                             absl::Span<const int> strides,
                             absl::Span<const int> paddings,
                             absl::Span<const int> dilations, TensorSpec* out);

absl::Status FoldInferMeta(const TensorSpec& x,
                           absl::Span<const int> output_sizes,
                           absl::Span<const int> kernel_sizes,
                           absl::Span<const int> strides,
                           absl::Span<const int> paddings,
                           absl::Span<const int> dilations, TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_VOLUME_COLUMNS_H_
