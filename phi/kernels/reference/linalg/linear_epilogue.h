// SPDX-License-Identifier: Apache-2.0
// The reference kernel of linear_epilogue, in double: sums, then each step of
// the definition.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_LINALG_LINEAR_EPILOGUE_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_LINALG_LINEAR_EPILOGUE_H_

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/post_ops.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/conv/conv_epilogue.h"

namespace switchyard::phi::kernels::reference {

template <typename S>
inline constexpr auto kLinearEpilogueSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status LinearEpilogueKernel(const ReferenceContext&, const DenseTensor& x,
                                  const DenseTensor& y, const DenseTensor* bias,
                                  const DenseTensor* residual,
                                  int x_num_col_dims, PostOps post_ops,
                                  bool /*pack_y*/, DenseTensor* out) {
  const int64_t k = x.shape().numel(x_num_col_dims, x.rank());
  const int64_t n = y.extent(1);
  const auto rows = Widened<T>(x), columns = Widened<T>(y);
  for (int64_t i = 0; i < out->numel(); ++i) {
    double sum = 0;
    for (int64_t j = 0; j < k; ++j) {
      sum += rows[i / n * k + j] * columns[j * n + i % n];
    }
    if (bias != nullptr) sum += At<T>(*bias, i % n);
    if (residual != nullptr) sum += At<T>(*residual, i);
    out->mutable_data<T>()[i] = static_cast<T>(ReferencePostOps(post_ops, sum));
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_LINALG_LINEAR_EPILOGUE_H_
