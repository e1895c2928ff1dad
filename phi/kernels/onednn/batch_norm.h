// SPDX-License-Identifier: Apache-2.0
// batch_norm by oneDNN, in inference.
#ifndef SWITCHYARD_PHI_KERNELS_ONEDNN_BATCH_NORM_H_
#define SWITCHYARD_PHI_KERNELS_ONEDNN_BATCH_NORM_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/onednn/onednn_context.h"

namespace switchyard::phi::kernels::onednn {

// Inference alone; on smaller tensors a primitive's call costs more than it
// wins.
template <typename S>
inline constexpr auto kBatchNormSpec =
    KernelSpec<S>()
        .NoEmpty()
        .When(AttrEquals(S::kIsTest, true))
        .When(AttrEquals(S::kTrainableStatistics, false))
        .When(ItemElementsAtLeast(S::kX, 1 << 12));
// With the running statistics: they stay as they are.
template <typename T>
absl::Status BatchNormKernel(const OnednnContext& context, const DenseTensor& x,
                             const DenseTensor& mean,
                             const DenseTensor& variance,
                             const DenseTensor* scale, const DenseTensor* bias,
                             bool, float, float epsilon,
                             std::string_view data_format, bool, bool,
                             DenseTensor* out, DenseTensor* mean_out,
                             DenseTensor* variance_out, DenseTensor* saved_mean,
                             DenseTensor* saved_variance);

}  // namespace switchyard::phi::kernels::onednn

#endif  // SWITCHYARD_PHI_KERNELS_ONEDNN_BATCH_NORM_H_
