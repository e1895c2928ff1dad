// SPDX-License-Identifier: Apache-2.0
// InferMeta of crop, of slices with steps that are views, and their gradients.
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

// x_grad: as x. out_grad: as CropInferMeta says.
absl::Status CropGradInferMeta(const TensorSpec& x, const TensorSpec& out_grad,
                               AttrValues shape, AttrValues offsets,
                               TensorSpec* x_grad);

// out: as StridedSliceInferMeta says, of steps from 1.
absl::Status StepSliceInferMeta(const TensorSpec& x,
                                absl::Span<const int64_t> axes,
                                AttrValues starts, AttrValues ends,
                                AttrValues steps, TensorSpec* out);

// x_grad: as x. out_grad: as StepSliceInferMeta says.
absl::Status StepSliceGradInferMeta(const TensorSpec& x,
                                    const TensorSpec& out_grad,
                                    absl::Span<const int64_t> axes,
                                    AttrValues starts, AttrValues ends,
                                    AttrValues steps, TensorSpec* x_grad);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_DATA_MOVEMENT_CROP_H_
