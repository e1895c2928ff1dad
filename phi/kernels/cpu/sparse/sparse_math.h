// SPDX-License-Identifier: Apache-2.0
// Arithmetic on the values of sparse tensors on the CPU: products element by
// element, relu. Values of one position are added in their order, by one
// thread: the bits are always the same.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SPARSE_SPARSE_MATH_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SPARSE_SPARSE_MATH_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/sparse.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/sparse/pattern.h"

namespace switchyard::phi::kernels::cpu {

// A sparse tensor with one value a position: where each begins, in row-major
// order, and by value of the tensor the number of its position.
template <typename T>
struct SummedValues {
  std::vector<int64_t> offsets;
  std::vector<T> sums;
  std::vector<int64_t> target;
  int64_t block = 1;
};

template <typename T, typename Sparse>
absl::StatusOr<SummedValues<T>> SumPositions(const Sparse& x) {
  SY_ASSIGN_OR_RETURN(const Pattern pattern, MakePattern(x));
  Merged merged = Merge(pattern);
  SummedValues<T> summed;
  summed.block = pattern.block;
  for (const int64_t first : merged.first) {
    summed.offsets.push_back(pattern.offsets[static_cast<size_t>(first)]);
  }
  summed.sums.assign(merged.first.size() * static_cast<size_t>(pattern.block),
                     T{0});
  const T* from = x.values().template data<T>();
  for (const int64_t target : merged.target) {
    T* const to = summed.sums.data() + target * pattern.block;
    for (int64_t k = 0; k < pattern.block; ++k) to[k] += *from++;
  }
  summed.target = std::move(merged.target);
  return summed;
}

// The positions that two tensors have both: their numbers in each.
struct CommonPositions {
  std::vector<int64_t> x;
  std::vector<int64_t> y;
};
inline CommonPositions FindCommon(const std::vector<int64_t>& x,
                                  const std::vector<int64_t>& y) {
  CommonPositions common;
  for (size_t i = 0, k = 0; i < x.size() && k < y.size();) {
    if (x[i] == y[k]) {
      common.x.push_back(static_cast<int64_t>(i));
      common.y.push_back(static_cast<int64_t>(k));
    }
    const bool advance_y = y[k] <= x[i];
    if (x[i] <= y[k]) ++i;
    if (advance_y) ++k;
  }
  return common;
}

// Returns the shape of the values of `x` if there are `count` of them.
template <typename Sparse>
Shape ValuesShape(const Sparse& x, size_t count) {
  Shape shape = x.values().shape();
  shape[0] = Dim(static_cast<int64_t>(count));
  return shape;
}

template <typename Sparse>
absl::Status CheckSparseAxes(const Sparse& x, const Sparse& y) {
  if (SparseAxes(x) == SparseAxes(y)) return absl::OkStatus();
  return ArgumentError("y", absl::StrCat("of ", SparseAxes(x), " sparse axes"),
                       absl::StrCat(SparseAxes(y)));
}

template <typename T, typename Sparse>
absl::Status MultiplyPositions(const CpuContext& context, const Sparse& x,
                               const Sparse& y, Sparse* out) {
  SY_RETURN_IF_ERROR(CheckSparseAxes(x, y));
  SY_ASSIGN_OR_RETURN(const SummedValues<T> a, SumPositions<T>(x));
  SY_ASSIGN_OR_RETURN(const SummedValues<T> b, SumPositions<T>(y));
  const CommonPositions common = FindCommon(a.offsets, b.offsets);
  SY_ASSIGN_OR_RETURN(
      DenseTensor values,
      NewTensor(context, x.dtype(), ValuesShape(x, common.x.size())));
  std::vector<int64_t> offsets;
  T* to = values.mutable_data<T>();
  for (size_t i = 0; i < common.x.size(); ++i) {
    offsets.push_back(a.offsets[static_cast<size_t>(common.x[i])]);
    const T* const v = a.sums.data() + common.x[i] * a.block;
    const T* const w = b.sums.data() + common.y[i] * a.block;
    for (int64_t k = 0; k < a.block; ++k) *to++ = v[k] * w[k];
  }
  return MakeSorted(context, x.shape(), SparseAxes(x), offsets,
                    std::move(values), out);
}

// Writes the gradient of one operand: at a position that both have, that of the
// product times the other's value; 0 elsewhere. `mine` and `theirs` are the
// numbers of the common positions in each.
template <typename T, typename Sparse>
absl::Status GradOfFactor(const CpuContext& context, const Sparse& x,
                          const SummedValues<T>& own,
                          const std::vector<int64_t>& mine,
                          const SummedValues<T>& other,
                          const std::vector<int64_t>& theirs, const T* grads,
                          Sparse* x_grad) {
  if (x_grad == nullptr) return absl::OkStatus();
  std::vector<int64_t> number(own.offsets.size(), -1);
  for (size_t i = 0; i < mine.size(); ++i) {
    number[static_cast<size_t>(mine[i])] = static_cast<int64_t>(i);
  }
  SY_ASSIGN_OR_RETURN(DenseTensor values,
                      NewTensor(context, x.dtype(), x.values().shape()));
  std::fill_n(values.mutable_data<T>(), values.numel(), T{0});
  T* to = values.mutable_data<T>();
  for (const int64_t target : own.target) {
    const int64_t n = number[static_cast<size_t>(target)];
    if (n >= 0) {
      const T* const grad = grads + n * own.block;
      const T* const factor =
          other.sums.data() + theirs[static_cast<size_t>(n)] * own.block;
      for (int64_t k = 0; k < own.block; ++k) to[k] = grad[k] * factor[k];
    }
    to += own.block;
  }
  return WithValues(context, x, "x", values, x_grad);
}

template <typename T, typename Sparse>
absl::Status MultiplyPositionsGrad(const CpuContext& context, const Sparse& x,
                                   const Sparse& y, const Sparse& out_grad,
                                   Sparse* x_grad, Sparse* y_grad) {
  SY_RETURN_IF_ERROR(CheckSparseAxes(x, y));
  SY_ASSIGN_OR_RETURN(const SummedValues<T> a, SumPositions<T>(x));
  SY_ASSIGN_OR_RETURN(const SummedValues<T> b, SumPositions<T>(y));
  const CommonPositions common = FindCommon(a.offsets, b.offsets);
  SY_RETURN_IF_ERROR(CheckValues("out_grad", out_grad.values(),
                                 ValuesShape(x, common.x.size())));
  const T* const grads = out_grad.values().template data<T>();
  SY_RETURN_IF_ERROR(
      GradOfFactor(context, x, a, common.x, b, common.y, grads, x_grad));
  return GradOfFactor(context, y, b, common.y, a, common.x, grads, y_grad);
}

// Multiplies by the dense element of each position, or by the one of y.
template <typename T, typename Sparse>
absl::Status MultiplyDense(const CpuContext& context, const Sparse& x,
                           const DenseTensor& y, Sparse* out) {
  SY_ASSIGN_OR_RETURN(const Pattern pattern, MakePattern(x));
  SY_ASSIGN_OR_RETURN(DenseTensor values,
                      NewTensor(context, x.dtype(), x.values().shape()));
  const int64_t step = y.numel() == 1 ? 0 : 1;
  const T* from = x.values().template data<T>();
  T* to = values.mutable_data<T>();
  for (const int64_t at : pattern.offsets) {
    for (int64_t k = 0; k < pattern.block; ++k) {
      *to++ = *from++ * y.data<T>()[(at + k) * step];
    }
  }
  return WithValues(context, x, "x", values, out);
}

template <typename T, typename Sparse>
absl::Status MultiplyDenseGrad(const CpuContext& context, const Sparse& x,
                               const DenseTensor& y, const Sparse& out_grad,
                               Sparse* x_grad, DenseTensor* y_grad) {
  SY_RETURN_IF_ERROR(
      CheckValues("out_grad", out_grad.values(), x.values().shape()));
  if (x_grad != nullptr) {
    SY_RETURN_IF_ERROR(MultiplyDense<T>(context, out_grad, y, x_grad));
  }
  if (y_grad == nullptr) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(const Pattern pattern, MakePattern(x));
  const int64_t step = y.numel() == 1 ? 0 : 1;
  T* const sums = y_grad->mutable_data<T>();
  std::fill_n(sums, y_grad->numel(), T{0});
  const T* value = x.values().template data<T>();
  const T* grad = out_grad.values().template data<T>();
  for (const int64_t at : pattern.offsets) {
    for (int64_t k = 0; k < pattern.block; ++k) {
      sums[(at + k) * step] += *value++ * *grad++;
    }
  }
  return absl::OkStatus();
}

// Keeps the pattern: a value that becomes 0 stays there. NaN stays NaN.
template <typename T, typename Sparse>
absl::Status ReluOfValues(const CpuContext& context, const Sparse& x,
                          Sparse* out) {
  SY_ASSIGN_OR_RETURN(DenseTensor values,
                      NewTensor(context, x.dtype(), x.values().shape()));
  const T* const from = x.values().template data<T>();
  std::transform(from, from + values.numel(), values.mutable_data<T>(),
                 [](T v) { return v <= T{0} ? T{0} : v; });
  return WithValues(context, x, "x", values, out);
}

template <typename T, typename Sparse>
absl::Status ReluOfValuesGrad(const CpuContext& context, const Sparse& out,
                              const Sparse& out_grad, Sparse* x_grad) {
  SY_RETURN_IF_ERROR(
      CheckValues("out_grad", out_grad.values(), out.values().shape()));
  SY_ASSIGN_OR_RETURN(DenseTensor values,
                      NewTensor(context, out.dtype(), out.values().shape()));
  const T* const kept = out.values().template data<T>();
  std::transform(kept, kept + values.numel(),
                 out_grad.values().template data<T>(), values.mutable_data<T>(),
                 [](T v, T grad) { return v > T{0} ? grad : T{0}; });
  return WithValues(context, out, "out_grad", values, x_grad);
}

template <typename S>
inline constexpr auto kCooMultiplySpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CooMultiplyKernel(const CpuContext& context,
                               const SparseCooTensor& x,
                               const SparseCooTensor& y, SparseCooTensor* out) {
  return MultiplyPositions<T>(context, x, y, out);
}

template <typename S>
inline constexpr auto kCooMultiplyGradSpec =
    KernelSpec<S>()
        .AllStrided()
        .Output(S::kXGrad, SelfAllocated(ArgDef()))
        .Output(S::kYGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CooMultiplyGradKernel(const CpuContext& context,
                                   const SparseCooTensor& x,
                                   const SparseCooTensor& y,
                                   const SparseCooTensor& out_grad,
                                   SparseCooTensor* x_grad,
                                   SparseCooTensor* y_grad) {
  return MultiplyPositionsGrad<T>(context, x, y, out_grad, x_grad, y_grad);
}

template <typename S>
inline constexpr auto kCooMultiplyDenseSpec =
    KernelSpec<S>()
        .Input(S::kX, AnyStrides())
        .Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CooMultiplyDenseKernel(const CpuContext& context,
                                    const SparseCooTensor& x,
                                    const DenseTensor& y,
                                    SparseCooTensor* out) {
  return MultiplyDense<T>(context, x, y, out);
}

template <typename S>
inline constexpr auto kCooMultiplyDenseGradSpec =
    KernelSpec<S>()
        .Input(S::kX, AnyStrides())
        .Input(S::kOutGrad, AnyStrides())
        .Output(S::kXGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CooMultiplyDenseGradKernel(const CpuContext& context,
                                        const SparseCooTensor& x,
                                        const DenseTensor& y,
                                        const SparseCooTensor& out_grad,
                                        SparseCooTensor* x_grad,
                                        DenseTensor* y_grad) {
  return MultiplyDenseGrad<T>(context, x, y, out_grad, x_grad, y_grad);
}

template <typename S>
inline constexpr auto kCooReluSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CooReluKernel(const CpuContext& context, const SparseCooTensor& x,
                           SparseCooTensor* out) {
  return ReluOfValues<T>(context, x, out);
}

template <typename S>
inline constexpr auto kCooReluGradSpec =
    KernelSpec<S>().AllStrided().Output(S::kXGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CooReluGradKernel(const CpuContext& context,
                               const SparseCooTensor& out,
                               const SparseCooTensor& out_grad,
                               SparseCooTensor* x_grad) {
  return ReluOfValuesGrad<T>(context, out, out_grad, x_grad);
}

template <typename S>
inline constexpr auto kCsrMultiplySpec = kCooMultiplySpec<S>.Here();
template <typename T>
absl::Status CsrMultiplyKernel(const CpuContext& context,
                               const SparseCsrTensor& x,
                               const SparseCsrTensor& y, SparseCsrTensor* out) {
  return MultiplyPositions<T>(context, x, y, out);
}

template <typename S>
inline constexpr auto kCsrMultiplyGradSpec = kCooMultiplyGradSpec<S>.Here();
template <typename T>
absl::Status CsrMultiplyGradKernel(const CpuContext& context,
                                   const SparseCsrTensor& x,
                                   const SparseCsrTensor& y,
                                   const SparseCsrTensor& out_grad,
                                   SparseCsrTensor* x_grad,
                                   SparseCsrTensor* y_grad) {
  return MultiplyPositionsGrad<T>(context, x, y, out_grad, x_grad, y_grad);
}

template <typename S>
inline constexpr auto kCsrMultiplyDenseSpec = kCooMultiplyDenseSpec<S>.Here();
template <typename T>
absl::Status CsrMultiplyDenseKernel(const CpuContext& context,
                                    const SparseCsrTensor& x,
                                    const DenseTensor& y,
                                    SparseCsrTensor* out) {
  return MultiplyDense<T>(context, x, y, out);
}

template <typename S>
inline constexpr auto kCsrMultiplyDenseGradSpec =
    kCooMultiplyDenseGradSpec<S>.Here();
template <typename T>
absl::Status CsrMultiplyDenseGradKernel(const CpuContext& context,
                                        const SparseCsrTensor& x,
                                        const DenseTensor& y,
                                        const SparseCsrTensor& out_grad,
                                        SparseCsrTensor* x_grad,
                                        DenseTensor* y_grad) {
  return MultiplyDenseGrad<T>(context, x, y, out_grad, x_grad, y_grad);
}

template <typename S>
inline constexpr auto kCsrReluSpec = kCooReluSpec<S>.Here();
template <typename T>
absl::Status CsrReluKernel(const CpuContext& context, const SparseCsrTensor& x,
                           SparseCsrTensor* out) {
  return ReluOfValues<T>(context, x, out);
}

template <typename S>
inline constexpr auto kCsrReluGradSpec = kCooReluGradSpec<S>.Here();
template <typename T>
absl::Status CsrReluGradKernel(const CpuContext& context,
                               const SparseCsrTensor& out,
                               const SparseCsrTensor& out_grad,
                               SparseCsrTensor* x_grad) {
  return ReluOfValuesGrad<T>(context, out, out_grad, x_grad);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SPARSE_SPARSE_MATH_H_
