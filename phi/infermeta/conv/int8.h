// SPDX-License-Identifier: Apache-2.0
// InferMeta of operators that compute in integers of 8 bits, or in what stands
// for them.
#ifndef SWITCHYARD_PHI_INFERMETA_CONV_INT8_H_
#define SWITCHYARD_PHI_INFERMETA_CONV_INT8_H_

#include <string_view>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

absl::Status QuantizeDequantizeInferMeta(const TensorSpec& x,
                                         const TensorSpec& scale,
                                         int bit_length, int round_type,
                                         TensorSpec* out);

absl::Status QuantizeInt8InferMeta(const TensorSpec& x,
                                   const TensorSpec& factor, TensorSpec* out);

// conv2d's rule (conv.h), and what is done with the sums, which 32 bits hold.
absl::Status ConvInt8InferMeta(
    const TensorSpec& input, const TensorSpec& filter,
    const TensorSpec& multiplier, const TensorSpec* bias,
    const TensorSpec* residual, const TensorSpec* out_factor,
    absl::Span<const int> strides, absl::Span<const int> paddings,
    std::string_view padding_algorithm, absl::Span<const int> dilations,
    int groups, TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_CONV_INT8_H_
