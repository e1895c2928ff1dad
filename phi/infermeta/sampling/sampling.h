// SPDX-License-Identifier: Apache-2.0
// InferMeta of the operators that sample images within boxes.
#ifndef SWITCHYARD_PHI_INFERMETA_SAMPLING_SAMPLING_H_
#define SWITCHYARD_PHI_INFERMETA_SAMPLING_SAMPLING_H_

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: [boxes, channels, pooled_height, pooled_width] for x [images, channels,
// height, width]. `boxes_num`, int32 [images], may be null. A box has at most
// 2^20 samples along an axis.
absl::Status RoiAlignInferMeta(const TensorSpec& x, const TensorSpec& boxes,
                               const TensorSpec* boxes_num, int pooled_height,
                               int pooled_width, double spatial_scale,
                               int sampling_ratio, TensorSpec* out);

// Does what RoiAlignInferMeta does, a sample a bin; arg_max: int64 of out's
// shape.
absl::Status RoiPoolInferMeta(const TensorSpec& x, const TensorSpec& boxes,
                              const TensorSpec* boxes_num, int pooled_height,
                              int pooled_width, double spatial_scale,
                              TensorSpec* out, TensorSpec* arg_max);

// Does what RoiAlignInferMeta does; `boxes_num` may be int64.
absl::Status PrroiPoolInferMeta(const TensorSpec& x, const TensorSpec& boxes,
                                const TensorSpec* boxes_num, int pooled_height,
                                int pooled_width, double spatial_scale,
                                TensorSpec* out);

// x has a channel for each of `output_channels` and each bin.
absl::Status PsroiPoolInferMeta(const TensorSpec& x, const TensorSpec& boxes,
                                const TensorSpec* boxes_num, int pooled_height,
                                int pooled_width, int output_channels,
                                double spatial_scale, TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_SAMPLING_SAMPLING_H_
