// SPDX-License-Identifier: Apache-2.0
// InferMeta of crop and its gradients.
#ifndef SWITCHYARD_PHI_INFERMETA_CROP_H_
#define SWITCHYARD_PHI_INFERMETA_CROP_H_

#include "framework/base/status.h"
#include "framework/types/attr_value.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: x's dtype, extents `shape`; -1 is what x has behind the offset. As many
// extents as x has axes, and offsets in [0, extent], or none, which are 0.
absl::Status CropInferMeta(const TensorSpec& x, AttrValues shape,
                           AttrValues offsets, TensorSpec* out);

// x_grad: as x. out_grad: as CropInferMeta says.
absl::Status CropGradInferMeta(const TensorSpec& x, const TensorSpec& out_grad,
                               AttrValues shape, AttrValues offsets,
                               TensorSpec* x_grad);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_CROP_H_
