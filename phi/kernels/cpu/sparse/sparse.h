// SPDX-License-Identifier: Apache-2.0
// Kernels of sparse tensors on the CPU: making them, conversions, matmul with a
// dense matrix. A gradient of a sparse tensor has its pattern: the same
// positions in the same order. Sums run in the order of the values, by one
// thread: the bits are always the same.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SPARSE_SPARSE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SPARSE_SPARSE_H_

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

namespace switchyard::phi::kernels::cpu {

template <typename S>
inline constexpr auto kSparseCooTensorSpec =
    KernelSpec<S>()
        .Input(S::kIndices, OneOf(kIndexDtypes))
        .Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status SparseCooTensorKernel(const CpuContext& context,
                                   const DenseTensor& values,
                                   const DenseTensor& indices,
                                   absl::Span<const int64_t> shape,
                                   SparseCooTensor* out) {
  return MakeCoo(context, values, indices, shape, out);
}

template <typename S>
inline constexpr auto kSparseCsrTensorSpec =
    KernelSpec<S>()
        .Input(S::kCrows, OneOf(kIndexDtypes))
        .Input(S::kCols, OneOf(kIndexDtypes))
        .Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status SparseCsrTensorKernel(const CpuContext& context,
                                   const DenseTensor& values,
                                   const DenseTensor& crows,
                                   const DenseTensor& cols,
                                   absl::Span<const int64_t> shape,
                                   SparseCsrTensor* out) {
  return MakeCsr(context, values, crows, cols, shape, out);
}

// Copies the values of either kind; how many there are is found here.
template <typename S>
inline constexpr auto kValuesOfCooSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status ValuesOfCooKernel(const CpuContext& context,
                               const SparseCooTensor& x, DenseTensor* out) {
  if (x.values().rank() != 1) {
    return ArgumentError("x", "of sparse axes alone",
                         ToString(x.values().shape()));
  }
  return CopyInto(context, x.values(), out);
}
template <typename S>
inline constexpr auto kValuesOfCsrSpec = kValuesOfCooSpec<S>.Here();
template <typename T>
absl::Status ValuesOfCsrKernel(const CpuContext& context,
                               const SparseCsrTensor& x, DenseTensor* out) {
  return CopyInto(context, x.values(), out);
}

// The gradient of the values is a tensor of x's pattern with these values, and
// the other way round.
template <typename S>
inline constexpr auto kValuesOfCooGradSpec =
    KernelSpec<S>()
        .Input(S::kX, AnyStrides())
        .Output(S::kXGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status ValuesOfCooGradKernel(const CpuContext& context,
                                   const SparseCooTensor& x,
                                   const DenseTensor& out_grad,
                                   SparseCooTensor* x_grad) {
  return WithValues(context, x, "out_grad", out_grad, x_grad);
}
template <typename S>
inline constexpr auto kValuesOfCsrGradSpec = kValuesOfCooGradSpec<S>.Here();
template <typename T>
absl::Status ValuesOfCsrGradKernel(const CpuContext& context,
                                   const SparseCsrTensor& x,
                                   const DenseTensor& out_grad,
                                   SparseCsrTensor* x_grad) {
  return WithValues(context, x, "out_grad", out_grad, x_grad);
}

template <typename S>
inline constexpr auto kSparseCooTensorGradSpec = KernelSpec<S>()
                                                     .Input(S::kValues,
                                                            AnyStrides())
                                                     .Input(S::kOutGrad,
                                                            AnyStrides());
template <typename T>
absl::Status SparseCooTensorGradKernel(const CpuContext& context,
                                       const DenseTensor& values,
                                       const SparseCooTensor& out_grad,
                                       DenseTensor* values_grad) {
  return CopyValues(context, out_grad.values(), values, values_grad);
}
template <typename S>
inline constexpr auto kSparseCsrTensorGradSpec =
    kSparseCooTensorGradSpec<S>.Here();
template <typename T>
absl::Status SparseCsrTensorGradKernel(const CpuContext& context,
                                       const DenseTensor& values,
                                       const SparseCsrTensor& out_grad,
                                       DenseTensor* values_grad) {
  return CopyValues(context, out_grad.values(), values, values_grad);
}

// Adds the values of x to zeros, each where it stands: values of one position
// add up.
template <typename T, typename Sparse>
absl::Status Densify(const CpuContext& context, const Sparse& x,
                     DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const Pattern pattern, MakePattern(x));
  SY_RETURN_IF_ERROR(context.Allocate(out));
  T* to = out->mutable_data<T>();
  std::fill_n(to, out->numel(), static_cast<T>(0));
  const T* from = x.values().template data<T>();
  for (const int64_t at : pattern.offsets) {
    for (int64_t k = 0; k < pattern.block; ++k) to[at + k] += *from++;
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kCooToDenseSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status CooToDenseKernel(const CpuContext& context,
                              const SparseCooTensor& x, DenseTensor* out) {
  return Densify<T>(context, x, out);
}
template <typename S>
inline constexpr auto kCsrToDenseSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status CsrToDenseKernel(const CpuContext& context,
                              const SparseCsrTensor& x, DenseTensor* out) {
  return Densify<T>(context, x, out);
}

// The gradient of a dense tensor, at the positions of x.
template <typename T, typename Sparse>
absl::Status Sampled(const CpuContext& context, const Sparse& x,
                     const DenseTensor& out_grad, Sparse* x_grad) {
  SY_ASSIGN_OR_RETURN(const Pattern pattern, MakePattern(x));
  SY_ASSIGN_OR_RETURN(DenseTensor values,
                      NewTensor(context, x.dtype(), x.values().shape()));
  T* to = values.mutable_data<T>();
  const T* from = out_grad.data<T>();
  for (const int64_t at : pattern.offsets) {
    to = std::copy_n(from + at, pattern.block, to);
  }
  return WithValues(context, x, "out_grad", values, x_grad);
}

template <typename S>
inline constexpr auto kCooToDenseGradSpec =
    KernelSpec<S>()
        .Input(S::kX, AnyStrides())
        .Output(S::kXGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CooToDenseGradKernel(const CpuContext& context,
                                  const SparseCooTensor& x,
                                  const DenseTensor& out_grad,
                                  SparseCooTensor* x_grad) {
  return Sampled<T>(context, x, out_grad, x_grad);
}
template <typename S>
inline constexpr auto kCsrToDenseGradSpec = kCooToDenseGradSpec<S>.Here();
template <typename T>
absl::Status CsrToDenseGradKernel(const CpuContext& context,
                                  const SparseCsrTensor& x,
                                  const DenseTensor& out_grad,
                                  SparseCsrTensor* x_grad) {
  return Sampled<T>(context, x, out_grad, x_grad);
}

// The elements of x that are not 0, in row-major order; with fewer sparse axes
// than x has, the blocks in which one is not.
template <typename S>
inline constexpr auto kDenseToCooSpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status DenseToCooKernel(const CpuContext& context, const DenseTensor& x,
                              int sparse_dim, SparseCooTensor* out) {
  const int64_t block = x.shape().numel(sparse_dim, x.rank());
  const T* from = x.data<T>();
  std::vector<int64_t> kept;
  for (int64_t at = 0; block > 0 && at < x.numel(); at += block) {
    const bool zero = std::all_of(from + at, from + at + block,
                                  [](T v) { return v == static_cast<T>(0); });
    if (!zero) kept.push_back(at);
  }
  return TakeCoo(context, x, kept, sparse_dim, out);
}
template <typename S>
inline constexpr auto kDenseToCsrSpec = kDenseToCooSpec<S>.Here();
template <typename T>
absl::Status DenseToCsrKernel(const CpuContext& context, const DenseTensor& x,
                              SparseCsrTensor* out) {
  SparseCooTensor coo;
  SY_RETURN_IF_ERROR(DenseToCooKernel<T>(context, x, 2, &coo));
  return ConvertToCsr(context, coo, out);
}
template <typename S>
inline constexpr auto kCsrToCooSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CsrToCooKernel(const CpuContext& context, const SparseCsrTensor& x,
                            int /*sparse_dim*/, SparseCooTensor* out) {
  return ConvertToCoo(context, x, out);
}

// Rows in order, the columns of a row in order, one value a position.
template <typename S>
inline constexpr auto kCoalesceSpec = kCsrToCooSpec<S>.Here();
template <typename T>
absl::Status CoalesceKernel(const CpuContext& context, const SparseCooTensor& x,
                            SparseCooTensor* out) {
  SY_ASSIGN_OR_RETURN(const Pattern pattern, MakePattern(x));
  const Merged merged = Merge(pattern);
  SY_ASSIGN_OR_RETURN(
      DenseTensor values,
      NewTensor(context, x.dtype(), MergedShape(merged, x.values().shape())));
  std::fill_n(values.mutable_data<T>(), values.numel(), static_cast<T>(0));
  const T* from = x.values().data<T>();
  for (size_t i = 0; i < merged.target.size(); ++i) {
    T* to = values.mutable_data<T>() + merged.target[i] * pattern.block;
    for (int64_t k = 0; k < pattern.block; ++k) to[k] += *from++;
  }
  return MergedCoo(context, x, merged, std::move(values), out);
}
template <typename S>
inline constexpr auto kCoalesceGradSpec =
    KernelSpec<S>().AllStrided().Output(S::kXGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CoalesceGradKernel(const CpuContext& context,
                                const SparseCooTensor& x,
                                const SparseCooTensor& out_grad,
                                SparseCooTensor* x_grad) {
  SY_ASSIGN_OR_RETURN(const Pattern pattern, MakePattern(x));
  const Merged merged = Merge(pattern);
  SY_RETURN_IF_ERROR(CheckValues("out_grad", out_grad.values(),
                                 MergedShape(merged, x.values().shape())));
  SY_ASSIGN_OR_RETURN(DenseTensor values,
                      NewTensor(context, x.dtype(), x.values().shape()));
  T* to = values.mutable_data<T>();
  const T* from = out_grad.values().data<T>();
  for (const int64_t target : merged.target) {
    to = std::copy_n(from + target * pattern.block, pattern.block, to);
  }
  return WithValues(context, x, "out_grad", values, x_grad);
}
template <typename S>
inline constexpr auto kCooToCsrSpec = kCsrToCooSpec<S>.Here();
template <typename T>
absl::Status CooToCsrKernel(const CpuContext& context, const SparseCooTensor& x,
                            SparseCsrTensor* out) {
  SparseCooTensor merged;
  SY_RETURN_IF_ERROR(CoalesceKernel<T>(context, x, &merged));
  return ConvertToCsr(context, merged, out);
}

// Gradients of conversions: what the result has at a position of x.
template <typename S>
inline constexpr auto kDenseToCooGradSpec = KernelSpec<S>().Input(S::kOutGrad,
                                                                  AnyStrides());
template <typename T>
absl::Status DenseToCooGradKernel(const CpuContext& context, const DenseTensor&,
                                  const SparseCooTensor& out_grad, int,
                                  DenseTensor* x_grad) {
  return Densify<T>(context, out_grad, x_grad);
}
template <typename S>
inline constexpr auto kDenseToCsrGradSpec = kDenseToCooGradSpec<S>.Here();
template <typename T>
absl::Status DenseToCsrGradKernel(const CpuContext& context, const DenseTensor&,
                                  const SparseCsrTensor& out_grad,
                                  DenseTensor* x_grad) {
  return Densify<T>(context, out_grad, x_grad);
}
template <typename S>
inline constexpr auto kCsrToCooGradSpec =
    KernelSpec<S>().AllStrided().Output(S::kXGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CsrToCooGradKernel(const CpuContext& context,
                                const SparseCsrTensor& x,
                                const SparseCooTensor& out_grad, int,
                                SparseCsrTensor* x_grad) {
  return WithValues(context, x, "out_grad", out_grad.values(), x_grad);
}
template <typename S>
inline constexpr auto kCooToCsrGradSpec = kCsrToCooGradSpec<S>.Here();
template <typename T>
absl::Status CooToCsrGradKernel(const CpuContext& context,
                                const SparseCooTensor& x,
                                const SparseCsrTensor& out_grad,
                                SparseCooTensor* x_grad) {
  SparseCooTensor coo;
  SY_RETURN_IF_ERROR(ConvertToCoo(context, out_grad, &coo));
  return CoalesceGradKernel<T>(context, x, coo, x_grad);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SPARSE_SPARSE_H_
