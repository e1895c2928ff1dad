// SPDX-License-Identifier: Apache-2.0
// InferMeta of operators that rearrange or sample images: `x` is [batch,
// channels, height, width], or [batch, height, width, channels] where
// data_format is "NHWC".
#ifndef SWITCHYARD_PHI_INFERMETA_INTERPOLATION_IMAGE_H_
#define SWITCHYARD_PHI_INFERMETA_INTERPOLATION_IMAGE_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/types/attr_value.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

absl::Status PixelShuffleInferMeta(const TensorSpec& x, int upscale_factor,
                                   std::string_view data_format,
                                   TensorSpec* out);
absl::Status PixelUnshuffleInferMeta(const TensorSpec& x, int downscale_factor,
                                     std::string_view data_format,
                                     TensorSpec* out);
absl::Status ChannelShuffleInferMeta(const TensorSpec& x, int groups,
                                     std::string_view data_format,
                                     TensorSpec* out);

// `x` may have a depth before its height; `grid` is [batch, x's axes after its
// channels, their number].
absl::Status GridSampleInferMeta(const TensorSpec& x, const TensorSpec& grid,
                                 std::string_view mode,
                                 std::string_view padding_mode,
                                 TensorSpec* out);

// out: [batch, the extents of output_shape after its first two, their number]
// for matrices [batch, their number, one more]; output_shape has 4 or 5
// numbers.
absl::Status AffineGridInferMeta(const TensorSpec& input,
                                 AttrValues output_shape, TensorSpec* out);

// input_grad: as the input of AffineGridInferMeta, whose output out_grad is
// like.
absl::Status AffineGridGradInferMeta(const TensorSpec& out_grad,
                                     AttrValues output_shape,
                                     TensorSpec* input_grad);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_INTERPOLATION_IMAGE_H_
