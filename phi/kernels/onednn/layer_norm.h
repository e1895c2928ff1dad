// SPDX-License-Identifier: Apache-2.0
// layer_norm by oneDNN.
#ifndef SWITCHYARD_PHI_KERNELS_ONEDNN_LAYER_NORM_H_
#define SWITCHYARD_PHI_KERNELS_ONEDNN_LAYER_NORM_H_

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/onednn/onednn_context.h"

namespace switchyard::phi::kernels::onednn {

// On smaller tensors a primitive's call costs more than it wins.
template <typename S>
inline constexpr auto kLayerNormSpec =
    KernelSpec<S>().NoEmpty().When(ItemElementsAtLeast(S::kX, 512));
template <typename T>
absl::Status LayerNormKernel(const OnednnContext& context, const DenseTensor& x,
                             const DenseTensor* scale, const DenseTensor* bias,
                             double epsilon, int, DenseTensor* out,
                             DenseTensor* mean, DenseTensor* variance);

}  // namespace switchyard::phi::kernels::onednn

#endif  // SWITCHYARD_PHI_KERNELS_ONEDNN_LAYER_NORM_H_
