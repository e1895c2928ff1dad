// SPDX-License-Identifier: Apache-2.0
// InferMeta of deformable_conv: a convolution whose taps are moved.
#ifndef SWITCHYARD_PHI_INFERMETA_SAMPLING_DEFORMABLE_CONV_H_
#define SWITCHYARD_PHI_INFERMETA_SAMPLING_DEFORMABLE_CONV_H_

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: as of a convolution (phi/infermeta/conv/conv.h). offset and `mask`,
// which may be null, have two numbers and one for each tap of a filter, for
// each of deformable_groups and each pixel of out.
absl::Status DeformableConvInferMeta(
    const TensorSpec& input, const TensorSpec& offset, const TensorSpec& filter,
    const TensorSpec* mask, absl::Span<const int> strides,
    absl::Span<const int> paddings, absl::Span<const int> dilations,
    int deformable_groups, int groups, TensorSpec* out);
absl::Status DeformableConvGradInferMeta(
    const TensorSpec& input, const TensorSpec& offset, const TensorSpec& filter,
    const TensorSpec* mask, const TensorSpec& out_grad,
    absl::Span<const int> strides, absl::Span<const int> paddings,
    absl::Span<const int> dilations, int deformable_groups, int groups,
    TensorSpec* input_grad, TensorSpec* offset_grad, TensorSpec* filter_grad,
    TensorSpec* mask_grad);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_SAMPLING_DEFORMABLE_CONV_H_
