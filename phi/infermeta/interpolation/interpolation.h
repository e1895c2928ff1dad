// SPDX-License-Identifier: Apache-2.0
// InferMeta of interpolations. `x` is [batch, channels,
// spatial axes], or [batch, spatial axes, channels] where data_format ends in
// "C". The result's extents are `out_size`, else x's times `scale`, else those
// of out_d, out_h and out_w that the spatial axes have.
#ifndef SWITCHYARD_PHI_INFERMETA_INTERPOLATION_INTERPOLATION_H_
#define SWITCHYARD_PHI_INFERMETA_INTERPOLATION_INTERPOLATION_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/types/attr_value.h"
#include "framework/types/float_values.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// Takes two or three spatial axes.
absl::Status NearestInterpInferMeta(const TensorSpec& x, AttrValues out_size,
                                    int out_d, int out_h, int out_w,
                                    FloatValues scale,
                                    std::string_view data_format,
                                    TensorSpec* out);

// Take one spatial axis, two and three.
absl::Status Interp1dInferMeta(const TensorSpec& x, AttrValues out_size,
                               int out_d, int out_h, int out_w,
                               FloatValues scale, std::string_view data_format,
                               TensorSpec* out);
absl::Status Interp2dInferMeta(const TensorSpec& x, AttrValues out_size,
                               int out_d, int out_h, int out_w,
                               FloatValues scale, std::string_view data_format,
                               TensorSpec* out);
absl::Status Interp3dInferMeta(const TensorSpec& x, AttrValues out_size,
                               int out_d, int out_h, int out_w,
                               FloatValues scale, std::string_view data_format,
                               TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_INTERPOLATION_INTERPOLATION_H_
