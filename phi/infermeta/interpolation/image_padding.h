// SPDX-License-Identifier: Apache-2.0
// InferMeta of pad2d and pad3d. `x` is [batch, channels,
// spatial axes], or [batch, spatial axes, channels] where data_format ends in
// "C". pad2d's paddings begin with the first spatial axis, pad3d's with the
// last.
#ifndef SWITCHYARD_PHI_INFERMETA_INTERPOLATION_IMAGE_PADDING_H_
#define SWITCHYARD_PHI_INFERMETA_INTERPOLATION_IMAGE_PADDING_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/types/attr_value.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

absl::Status Pad2dInferMeta(const TensorSpec& x, AttrValues paddings,
                            std::string_view mode, std::string_view data_format,
                            TensorSpec* out);
absl::Status Pad3dInferMeta(const TensorSpec& x, AttrValues paddings,
                            std::string_view mode, std::string_view data_format,
                            TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_INTERPOLATION_IMAGE_PADDING_H_
