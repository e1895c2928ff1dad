// SPDX-License-Identifier: Apache-2.0
// InferMeta of crop, and of slices with steps that are views.
#ifndef SWITCHYARD_PHI_INFERMETA_DATA_MOVEMENT_CROP_H_
#define SWITCHYARD_PHI_INFERMETA_DATA_MOVEMENT_CROP_H_

#include <cstdint>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/attr_value.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: x's dtype, extents `shape`; -1 is what x has after the offset. As many
// extents as x has axes, and offsets in [0, extent], or none, which are 0.
absl::Status CropInferMeta(const TensorSpec& x, AttrValues shape,
                           AttrValues offsets, TensorSpec* out);

// out: as StridedSliceInferMeta says, of steps from 1.
absl::Status StepSliceInferMeta(const TensorSpec& x,
                                absl::Span<const int64_t> axes,
                                AttrValues starts, AttrValues ends,
                                AttrValues steps, TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_DATA_MOVEMENT_CROP_H_
