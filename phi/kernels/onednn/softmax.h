// SPDX-License-Identifier: Apache-2.0
// softmax by oneDNN.
#ifndef SWITCHYARD_PHI_KERNELS_ONEDNN_SOFTMAX_H_
#define SWITCHYARD_PHI_KERNELS_ONEDNN_SOFTMAX_H_

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/onednn/onednn_context.h"

namespace switchyard::phi::kernels::onednn {

// On smaller tensors a primitive's call costs more than the work.
template <typename S>
inline constexpr auto kSoftmaxSpec = KernelSpec<S>()
                                         .When(RankAtLeast(S::kX, 1))
                                         .When(ElementsAtLeast(S::kX, 16384));
template <typename T>
absl::Status SoftmaxKernel(const OnednnContext& context, const DenseTensor& x,
                           int axis, DenseTensor* out);

}  // namespace switchyard::phi::kernels::onednn

#endif  // SWITCHYARD_PHI_KERNELS_ONEDNN_SOFTMAX_H_
