// SPDX-License-Identifier: Apache-2.0
// Products of a sparse matrix and a dense one on the CPU. Each element is
// summed in the order of the sparse values, by one thread.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SPARSE_SPARSE_MATMUL_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SPARSE_SPARSE_MATMUL_H_

#include <algorithm>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/sparse.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/sparse/pattern.h"

namespace switchyard::phi::kernels::cpu {

template <typename T, typename Sparse>
absl::Status MultiplySparse(const Sparse& x, const DenseTensor& y,
                            DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const Places places, FindPlaces(x));
  const int64_t width = y.extent(1);
  T* const sums = out->mutable_data<T>();
  std::fill_n(sums, out->numel(), static_cast<T>(0));
  const T* value = x.values().template data<T>();
  for (size_t i = 0; i < places.rows.size(); ++i) {
    T* const to = sums + places.rows[i] * width;
    const T* const from = y.data<T>() + places.columns[i] * width;
    for (int64_t k = 0; k < width; ++k) to[k] += value[i] * from[k];
  }
  return absl::OkStatus();
}

// Writes the gradients: that of a value is the product of a row of out_grad and
// one of y, that of y the product of x, transposed, and out_grad.
template <typename T, typename Sparse>
absl::Status MultiplySparseGrad(const CpuContext& context, const Sparse& x,
                                const DenseTensor& y,
                                const DenseTensor& out_grad, Sparse* x_grad,
                                DenseTensor* y_grad) {
  SY_ASSIGN_OR_RETURN(const Places places, FindPlaces(x));
  const int64_t width = y.extent(1);
  const T* const grads = out_grad.data<T>();
  if (x_grad != nullptr) {
    SY_ASSIGN_OR_RETURN(DenseTensor values,
                        NewTensor(context, x.dtype(), x.values().shape()));
    for (size_t i = 0; i < places.rows.size(); ++i) {
      const T* const a = grads + places.rows[i] * width;
      const T* const b = y.data<T>() + places.columns[i] * width;
      T sum = static_cast<T>(0);
      for (int64_t k = 0; k < width; ++k) sum += a[k] * b[k];
      values.mutable_data<T>()[i] = sum;
    }
    SY_RETURN_IF_ERROR(WithValues(context, x, "x", values, x_grad));
  }
  if (y_grad == nullptr) return absl::OkStatus();
  T* const sums = y_grad->mutable_data<T>();
  std::fill_n(sums, y_grad->numel(), static_cast<T>(0));
  const T* value = x.values().template data<T>();
  for (size_t i = 0; i < places.rows.size(); ++i) {
    T* const to = sums + places.columns[i] * width;
    const T* const from = grads + places.rows[i] * width;
    for (int64_t k = 0; k < width; ++k) to[k] += value[i] * from[k];
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kCooMatmulSpec = KernelSpec<S>().Input(S::kX,
                                                             AnyStrides());
template <typename T>
absl::Status CooMatmulKernel(const CpuContext&, const SparseCooTensor& x,
                             const DenseTensor& y, DenseTensor* out) {
  return MultiplySparse<T>(x, y, out);
}
template <typename S>
inline constexpr auto kCsrMatmulSpec = kCooMatmulSpec<S>.Here();
template <typename T>
absl::Status CsrMatmulKernel(const CpuContext&, const SparseCsrTensor& x,
                             const DenseTensor& y, DenseTensor* out) {
  return MultiplySparse<T>(x, y, out);
}

template <typename S>
inline constexpr auto kCooMatmulGradSpec = KernelSpec<S>()
                                               .Input(S::kX, AnyStrides())
                                               .Output(S::kXGrad,
                                                       SelfAllocated(ArgDef()));
template <typename T>
absl::Status CooMatmulGradKernel(const CpuContext& context,
                                 const SparseCooTensor& x, const DenseTensor& y,
                                 const DenseTensor& out_grad,
                                 SparseCooTensor* x_grad, DenseTensor* y_grad) {
  return MultiplySparseGrad<T>(context, x, y, out_grad, x_grad, y_grad);
}
template <typename S>
inline constexpr auto kCsrMatmulGradSpec = kCooMatmulGradSpec<S>.Here();
template <typename T>
absl::Status CsrMatmulGradKernel(const CpuContext& context,
                                 const SparseCsrTensor& x, const DenseTensor& y,
                                 const DenseTensor& out_grad,
                                 SparseCsrTensor* x_grad, DenseTensor* y_grad) {
  return MultiplySparseGrad<T>(context, x, y, out_grad, x_grad, y_grad);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SPARSE_SPARSE_MATMUL_H_
