// SPDX-License-Identifier: Apache-2.0
// matmul by oneDNN.
#ifndef SWITCHYARD_PHI_KERNELS_ONEDNN_LINALG_H_
#define SWITCHYARD_PHI_KERNELS_ONEDNN_LINALG_H_

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/onednn/onednn_context.h"

namespace switchyard::phi::kernels::onednn {

// Below two million multiply-adds a primitive's call costs more than it wins.
// oneDNN 2.6.3 cuts its sums by the number of threads: 1 and 3 gave different
// bits on half of the shapes tried.
template <typename S>
inline constexpr auto kMatmulSpec =
    KernelSpec<S>().ThreadVariant().When(WorkAtLeast(S::kX, S::kY, 2'000'000));
template <typename T>
absl::Status MatmulKernel(const OnednnContext& context, const DenseTensor& x,
                          const DenseTensor& y, bool transpose_x,
                          bool transpose_y, DenseTensor* out);

}  // namespace switchyard::phi::kernels::onednn

#endif  // SWITCHYARD_PHI_KERNELS_ONEDNN_LINALG_H_
