// SPDX-License-Identifier: Apache-2.0
// softmax by cuDNN.
#ifndef SWITCHYARD_PHI_KERNELS_GPUDNN_SOFTMAX_H_
#define SWITCHYARD_PHI_KERNELS_GPUDNN_SOFTMAX_H_

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/gpudnn/gpudnn_context.h"

namespace switchyard::phi::kernels::gpudnn {

// cuDNN counts in int.
template <typename S>
inline constexpr auto kSoftmaxSpec =
    KernelSpec<S>()
        .When(RankAtLeast(S::kX, 1))
        .When(ElementsAtMost(S::kX, (int64_t{1} << 31) - 1));
// The axis is that of cuDNN's channels.
template <typename T>
absl::Status SoftmaxKernel(const GpudnnContext& context, const DenseTensor& x,
                           int axis, DenseTensor* out);

}  // namespace switchyard::phi::kernels::gpudnn

#endif  // SWITCHYARD_PHI_KERNELS_GPUDNN_SOFTMAX_H_
