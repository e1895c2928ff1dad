// SPDX-License-Identifier: Apache-2.0
// Sums over axes of sparse tensors and their transposition on the CPU. Values
// are added in their order, by one thread: the bits are always the same.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SPARSE_SPARSE_REDUCTION_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SPARSE_SPARSE_REDUCTION_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/sparse.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/sparse/pattern.h"
#include "phi/kernels/cpu/sparse/summation.h"

namespace switchyard::phi::kernels::cpu {

template <typename T, typename Sparse>
absl::Status SumValues(const CpuContext& context, const Sparse& x,
                       absl::Span<const int64_t> axis, bool keepdim,
                       Sparse* out) {
  SY_ASSIGN_OR_RETURN(const Summation sum, Summarize(x, axis, keepdim));
  SY_ASSIGN_OR_RETURN(DenseTensor values,
                      NewTensor(context, x.dtype(), sum.ValuesShape()));
  T* const to = values.mutable_data<T>();
  std::fill_n(to, values.numel(), T{0});
  const T* from = x.values().template data<T>();
  for (const int64_t target : sum.targets) to[target] += *from++;
  return MakeSorted(context, sum.shape, sum.sparse_dim, sum.offsets,
                    std::move(values), out);
}

// Each element of x gets the gradient of the element that it was added to.
template <typename T, typename Sparse>
absl::Status SumValuesGrad(const CpuContext& context, const Sparse& x,
                           const Sparse& out_grad,
                           absl::Span<const int64_t> axis, bool keepdim,
                           Sparse* x_grad) {
  SY_ASSIGN_OR_RETURN(const Summation sum, Summarize(x, axis, keepdim));
  SY_RETURN_IF_ERROR(
      CheckValues("out_grad", out_grad.values(), sum.ValuesShape()));
  SY_ASSIGN_OR_RETURN(DenseTensor values,
                      NewTensor(context, x.dtype(), x.values().shape()));
  T* to = values.mutable_data<T>();
  const T* const grads = out_grad.values().template data<T>();
  for (const int64_t target : sum.targets) *to++ = grads[target];
  return WithValues(context, x, "x", values, x_grad);
}

template <typename T>
absl::Status TransposeRows(const CpuContext& context, const SparseCsrTensor& x,
                           absl::Span<const int> perm, SparseCsrTensor* out) {
  if (!Exchanges(perm)) return WithValues(context, x, "x", x.values(), out);
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t> order, ByColumn(x));
  SY_ASSIGN_OR_RETURN(DenseTensor values,
                      NewTensor(context, x.dtype(), x.values().shape()));
  T* to = values.mutable_data<T>();
  for (const int64_t i : order) *to++ = x.values().data<T>()[i];
  return TransposedCsr(context, x, order, std::move(values), out);
}

template <typename T>
absl::Status TransposeRowsGrad(const CpuContext& context,
                               const SparseCsrTensor& x,
                               const SparseCsrTensor& out_grad,
                               absl::Span<const int> perm,
                               SparseCsrTensor* x_grad) {
  const DenseTensor& grads = out_grad.values();
  if (!Exchanges(perm)) {
    return WithValues(context, x, "out_grad", grads, x_grad);
  }
  SY_RETURN_IF_ERROR(CheckValues("out_grad", grads, x.values().shape()));
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t> order, ByColumn(x));
  SY_ASSIGN_OR_RETURN(DenseTensor values,
                      NewTensor(context, x.dtype(), x.values().shape()));
  const T* from = grads.data<T>();
  for (const int64_t i : order) values.mutable_data<T>()[i] = *from++;
  return WithValues(context, x, "out_grad", values, x_grad);
}

template <typename S>
inline constexpr auto kCooSumSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CooSumKernel(const CpuContext& context, const SparseCooTensor& x,
                          absl::Span<const int64_t> axis, bool keepdim,
                          SparseCooTensor* out) {
  return SumValues<T>(context, x, axis, keepdim, out);
}

template <typename S>
inline constexpr auto kCooSumGradSpec =
    KernelSpec<S>().AllStrided().Output(S::kXGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CooSumGradKernel(const CpuContext& context,
                              const SparseCooTensor& x,
                              const SparseCooTensor& out_grad,
                              absl::Span<const int64_t> axis, bool keepdim,
                              SparseCooTensor* x_grad) {
  return SumValuesGrad<T>(context, x, out_grad, axis, keepdim, x_grad);
}

template <typename S>
inline constexpr auto kCooTransposeSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CooTransposeKernel(const CpuContext& context,
                                const SparseCooTensor& x,
                                absl::Span<const int> perm,
                                SparseCooTensor* out) {
  return TransposePattern(context, x, perm, out);
}

template <typename S>
inline constexpr auto kCooTransposeGradSpec =
    KernelSpec<S>().AllStrided().Output(S::kXGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CooTransposeGradKernel(const CpuContext& context,
                                    const SparseCooTensor& x,
                                    const SparseCooTensor& out_grad,
                                    absl::Span<const int> /*perm*/,
                                    SparseCooTensor* x_grad) {
  return WithValues(context, x, "out_grad", out_grad.values(), x_grad);
}

template <typename S>
inline constexpr auto kCsrSumSpec = kCooSumSpec<S>.Here();
template <typename T>
absl::Status CsrSumKernel(const CpuContext& context, const SparseCsrTensor& x,
                          absl::Span<const int64_t> axis, bool keepdim,
                          SparseCsrTensor* out) {
  return SumValues<T>(context, x, axis, keepdim, out);
}

template <typename S>
inline constexpr auto kCsrSumGradSpec = kCooSumGradSpec<S>.Here();
template <typename T>
absl::Status CsrSumGradKernel(const CpuContext& context,
                              const SparseCsrTensor& x,
                              const SparseCsrTensor& out_grad,
                              absl::Span<const int64_t> axis, bool keepdim,
                              SparseCsrTensor* x_grad) {
  return SumValuesGrad<T>(context, x, out_grad, axis, keepdim, x_grad);
}

template <typename S>
inline constexpr auto kCsrTransposeSpec = kCooTransposeSpec<S>.Here();
template <typename T>
absl::Status CsrTransposeKernel(const CpuContext& context,
                                const SparseCsrTensor& x,
                                absl::Span<const int> perm,
                                SparseCsrTensor* out) {
  return TransposeRows<T>(context, x, perm, out);
}

template <typename S>
inline constexpr auto kCsrTransposeGradSpec = kCooTransposeGradSpec<S>.Here();
template <typename T>
absl::Status CsrTransposeGradKernel(const CpuContext& context,
                                    const SparseCsrTensor& x,
                                    const SparseCsrTensor& out_grad,
                                    absl::Span<const int> perm,
                                    SparseCsrTensor* x_grad) {
  return TransposeRowsGrad<T>(context, x, out_grad, perm, x_grad);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SPARSE_SPARSE_REDUCTION_H_
