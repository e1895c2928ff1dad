// SPDX-License-Identifier: Apache-2.0
// linear_epilogue on the CPU: a product of matrices of which each part is
// finished while its sums are in a near cache.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_LINALG_LINEAR_EPILOGUE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_LINALG_LINEAR_EPILOGUE_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/epilogue_activation.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/gemm/gemm.h"
#include "phi/kernels/cpu/linalg/finish_rows.h"

namespace switchyard::phi::kernels::cpu {

template <typename S>
inline constexpr auto kLinearEpilogueSpec = KernelSpec<S>();
template <typename T>
absl::Status LinearEpilogueKernel(const CpuContext& context,
                                  const DenseTensor& x, const DenseTensor& y,
                                  const DenseTensor* bias, int x_num_col_dims,
                                  std::string_view activation, float alpha,
                                  float beta, DenseTensor* out) {
  const int64_t m = x.shape().numel(0, x_num_col_dims);
  const int64_t k = x.shape().numel(x_num_col_dims, x.rank());
  const int64_t n = y.extent(1);
  T* const to = out->mutable_data<T>();
  const FinishedRows<T> all = {
      bias == nullptr ? nullptr : bias->data<T>(),
      FindEpilogueActivation(activation).value_or(EpilogueActivation::kNone),
      alpha,
      beta,
      m,
      n,
      to,
      n};
  const GemmProduct<T> product{{x.data<T>(), k, 1}, {y.data<T>(), n, 1}, to};
  return Gemm(context.allocator(), m, n, k, product,
              [&](int64_t row, int64_t column, int64_t rows, int64_t columns) {
                FinishedRows<T> part = all;
                if (part.bias != nullptr) part.bias += column;
                part.rows = rows;
                part.columns = columns;
                part.sums += row * n + column;
                FinishRows(part);
              });
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_LINALG_LINEAR_EPILOGUE_H_
