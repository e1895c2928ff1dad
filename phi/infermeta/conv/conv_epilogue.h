// SPDX-License-Identifier: Apache-2.0
// InferMeta of conv2d_epilogue and its like: conv2d's rule (conv.h), and what
// is done with the sums.
#ifndef SWITCHYARD_PHI_INFERMETA_CONV_CONV_EPILOGUE_H_
#define SWITCHYARD_PHI_INFERMETA_CONV_CONV_EPILOGUE_H_

#include <string_view>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

absl::Status ConvEpilogueInferMeta(
    const TensorSpec& input, const TensorSpec& filter, const TensorSpec* bias,
    const TensorSpec* residual, const TensorSpec* out_scale,
    const TensorSpec* out_shift, absl::Span<const int> strides,
    absl::Span<const int> paddings, std::string_view padding_algorithm,
    absl::Span<const int> dilations, int groups, TensorSpec* out);

// InferMeta of conv2d_transpose_epilogue: conv2d_transpose's rule
// (conv_transpose.h), and what is done with the sums.
absl::Status ConvTransposeEpilogueInferMeta(
    const TensorSpec& x, const TensorSpec& filter, const TensorSpec* bias,
    absl::Span<const int> strides, absl::Span<const int> paddings,
    std::string_view padding_algorithm, int groups,
    absl::Span<const int> dilations, TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_CONV_CONV_EPILOGUE_H_
