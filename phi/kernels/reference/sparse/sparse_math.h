// SPDX-License-Identifier: Apache-2.0
// Reference kernels of arithmetic on sparse tensors: by coordinates, in double.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_SPARSE_SPARSE_MATH_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_SPARSE_SPARSE_MATH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/sparse.h"
#include "phi/core/allocate_output.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"
#include "phi/kernels/reference/sparse/sparse_parts.h"

namespace switchyard::phi::kernels::reference {

// Checks that two tensors are sparse along the same axes.
inline absl::Status CheckAxes(const SparseParts& x, const SparseParts& y) {
  if (x.axes == y.axes) return absl::OkStatus();
  return ArgumentError("y", "of " + std::to_string(x.axes) + " sparse axes",
                       std::to_string(y.axes));
}

// Returns, by coordinates, the products of the blocks that both maps have.
inline BlockMap Products(const BlockMap& x, const BlockMap& y) {
  BlockMap products;
  for (const auto& [at, block] : x) {
    const auto other = y.find(at);
    if (other == y.end()) continue;
    std::vector<double>& product = products[at];
    for (size_t k = 0; k < block.size(); ++k) {
      product.push_back(block[k] * other->second[k]);
    }
  }
  return products;
}

template <typename T, typename Sparse>
absl::Status ProductOfParts(const ReferenceContext& context, const Sparse& x,
                            const Sparse& y, Sparse* out) {
  const SparseParts a = TakeApart<T>(x), b = TakeApart<T>(y);
  SY_RETURN_IF_ERROR(CheckAxes(a, b));
  return Assemble<T>(
      context, FromMap(a.shape, a.axes, Products(AddUp(a), AddUp(b))), out);
}

// Writes the gradient of a factor: at its positions what `factors` has there,
// else 0.
template <typename T, typename Sparse>
absl::Status PutFactors(const ReferenceContext& context, SparseParts x,
                        const BlockMap& factors, Sparse* x_grad) {
  if (x_grad == nullptr) return absl::OkStatus();
  for (SparsePart& part : x.parts) {
    const auto found = factors.find(part.at);
    const std::vector<double> zeros(part.block.size(), 0.0);
    part.block = found == factors.end() ? zeros : found->second;
  }
  return Assemble<T>(context, x, x_grad);
}

template <typename T, typename Sparse>
absl::Status ProductOfPartsGrad(const ReferenceContext& context,
                                const Sparse& x, const Sparse& y,
                                const Sparse& out_grad, Sparse* x_grad,
                                Sparse* y_grad) {
  const SparseParts a = TakeApart<T>(x), b = TakeApart<T>(y);
  SY_RETURN_IF_ERROR(CheckAxes(a, b));
  const BlockMap grads = AddUp(TakeApart<T>(out_grad));
  SY_RETURN_IF_ERROR(CheckCount("out_grad", grads.size(),
                                Products(AddUp(a), AddUp(b)).size()));
  SY_RETURN_IF_ERROR(
      PutFactors<T>(context, a, Products(grads, AddUp(b)), x_grad));
  return PutFactors<T>(context, b, Products(grads, AddUp(a)), y_grad);
}

// The element of y that an element of x is multiplied by.
template <typename T>
double FactorAt(const DenseTensor& y, const Index& index) {
  return static_cast<double>(y.numel() == 1 ? At<T>(y, int64_t{0})
                                            : At<T>(y, index));
}

template <typename T, typename Sparse>
absl::Status ProductWithDense(const ReferenceContext& context, const Sparse& x,
                              const DenseTensor& y, Sparse* out) {
  SparseParts parts = TakeApart<T>(x);
  for (SparsePart& part : parts.parts) {
    for (size_t k = 0; k < part.block.size(); ++k) {
      part.block[k] *= FactorAt<T>(y, parts.At(part, static_cast<int64_t>(k)));
    }
  }
  return Assemble<T>(context, parts, out);
}

template <typename T, typename Sparse>
absl::Status ProductWithDenseGrad(const ReferenceContext& context,
                                  const Sparse& x, const DenseTensor& y,
                                  const Sparse& out_grad, Sparse* x_grad,
                                  DenseTensor* y_grad) {
  SY_ASSIGN_OR_RETURN(
      const SparseParts grads,
      WithBlocks("out_grad", TakeApart<T>(x), TakeApart<T>(out_grad)));
  if (x_grad != nullptr) {
    SY_RETURN_IF_ERROR(ProductWithDense<T>(context, out_grad, y, x_grad));
  }
  if (y_grad == nullptr) return absl::OkStatus();
  const SparseParts parts = TakeApart<T>(x);
  std::vector<double> sums(static_cast<size_t>(y.numel()), 0.0);
  for (size_t i = 0; i < parts.parts.size(); ++i) {
    const SparsePart& part = parts.parts[i];
    for (size_t k = 0; k < part.block.size(); ++k) {
      const Index index = parts.At(part, static_cast<int64_t>(k));
      const int64_t to = y.numel() == 1 ? 0 : Ravel(y.shape(), index);
      sums[static_cast<size_t>(to)] += part.block[k] * grads.parts[i].block[k];
    }
  }
  for (int64_t e = 0; e < y_grad->numel(); ++e) {
    y_grad->mutable_data<T>()[e] = static_cast<T>(sums[static_cast<size_t>(e)]);
  }
  return absl::OkStatus();
}

template <typename T, typename Sparse>
absl::Status ReluOfParts(const ReferenceContext& context, const Sparse& x,
                         Sparse* out) {
  SparseParts parts = TakeApart<T>(x);
  for (SparsePart& part : parts.parts) {
    for (double& v : part.block) v = v <= 0 ? 0.0 : v;
  }
  return Assemble<T>(context, parts, out);
}

template <typename T, typename Sparse>
absl::Status ReluOfPartsGrad(const ReferenceContext& context, const Sparse& out,
                             const Sparse& out_grad, Sparse* x_grad) {
  const SparseParts parts = TakeApart<T>(out);
  SY_ASSIGN_OR_RETURN(SparseParts grads,
                      WithBlocks("out_grad", parts, TakeApart<T>(out_grad)));
  for (size_t i = 0; i < parts.parts.size(); ++i) {
    for (size_t k = 0; k < parts.parts[i].block.size(); ++k) {
      if (!(parts.parts[i].block[k] > 0)) grads.parts[i].block[k] = 0.0;
    }
  }
  return Assemble<T>(context, grads, x_grad);
}

template <typename S>
inline constexpr auto kCooMultiplySpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CooMultiplyKernel(const ReferenceContext& context,
                               const SparseCooTensor& x,
                               const SparseCooTensor& y, SparseCooTensor* out) {
  return ProductOfParts<T>(context, x, y, out);
}

template <typename S>
inline constexpr auto kCooMultiplyGradSpec =
    KernelSpec<S>()
        .AllStrided()
        .Output(S::kXGrad, SelfAllocated(ArgDef()))
        .Output(S::kYGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CooMultiplyGradKernel(const ReferenceContext& context,
                                   const SparseCooTensor& x,
                                   const SparseCooTensor& y,
                                   const SparseCooTensor& out_grad,
                                   SparseCooTensor* x_grad,
                                   SparseCooTensor* y_grad) {
  return ProductOfPartsGrad<T>(context, x, y, out_grad, x_grad, y_grad);
}

template <typename S>
inline constexpr auto kCooMultiplyDenseSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CooMultiplyDenseKernel(const ReferenceContext& context,
                                    const SparseCooTensor& x,
                                    const DenseTensor& y,
                                    SparseCooTensor* out) {
  return ProductWithDense<T>(context, x, y, out);
}

template <typename S>
inline constexpr auto kCooMultiplyDenseGradSpec =
    KernelSpec<S>().AllStrided().Output(S::kXGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CooMultiplyDenseGradKernel(const ReferenceContext& context,
                                        const SparseCooTensor& x,
                                        const DenseTensor& y,
                                        const SparseCooTensor& out_grad,
                                        SparseCooTensor* x_grad,
                                        DenseTensor* y_grad) {
  return ProductWithDenseGrad<T>(context, x, y, out_grad, x_grad, y_grad);
}

template <typename S>
inline constexpr auto kCooReluSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CooReluKernel(const ReferenceContext& context,
                           const SparseCooTensor& x, SparseCooTensor* out) {
  return ReluOfParts<T>(context, x, out);
}

template <typename S>
inline constexpr auto kCooReluGradSpec =
    KernelSpec<S>().AllStrided().Output(S::kXGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CooReluGradKernel(const ReferenceContext& context,
                               const SparseCooTensor& out,
                               const SparseCooTensor& out_grad,
                               SparseCooTensor* x_grad) {
  return ReluOfPartsGrad<T>(context, out, out_grad, x_grad);
}

template <typename S>
inline constexpr auto kCsrMultiplySpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CsrMultiplyKernel(const ReferenceContext& context,
                               const SparseCsrTensor& x,
                               const SparseCsrTensor& y, SparseCsrTensor* out) {
  return ProductOfParts<T>(context, x, y, out);
}

template <typename S>
inline constexpr auto kCsrMultiplyGradSpec =
    KernelSpec<S>()
        .AllStrided()
        .Output(S::kXGrad, SelfAllocated(ArgDef()))
        .Output(S::kYGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CsrMultiplyGradKernel(const ReferenceContext& context,
                                   const SparseCsrTensor& x,
                                   const SparseCsrTensor& y,
                                   const SparseCsrTensor& out_grad,
                                   SparseCsrTensor* x_grad,
                                   SparseCsrTensor* y_grad) {
  return ProductOfPartsGrad<T>(context, x, y, out_grad, x_grad, y_grad);
}

template <typename S>
inline constexpr auto kCsrMultiplyDenseSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CsrMultiplyDenseKernel(const ReferenceContext& context,
                                    const SparseCsrTensor& x,
                                    const DenseTensor& y,
                                    SparseCsrTensor* out) {
  return ProductWithDense<T>(context, x, y, out);
}

template <typename S>
inline constexpr auto kCsrMultiplyDenseGradSpec =
    KernelSpec<S>().AllStrided().Output(S::kXGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CsrMultiplyDenseGradKernel(const ReferenceContext& context,
                                        const SparseCsrTensor& x,
                                        const DenseTensor& y,
                                        const SparseCsrTensor& out_grad,
                                        SparseCsrTensor* x_grad,
                                        DenseTensor* y_grad) {
  return ProductWithDenseGrad<T>(context, x, y, out_grad, x_grad, y_grad);
}

template <typename S>
inline constexpr auto kCsrReluSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CsrReluKernel(const ReferenceContext& context,
                           const SparseCsrTensor& x, SparseCsrTensor* out) {
  return ReluOfParts<T>(context, x, out);
}

template <typename S>
inline constexpr auto kCsrReluGradSpec =
    KernelSpec<S>().AllStrided().Output(S::kXGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CsrReluGradKernel(const ReferenceContext& context,
                               const SparseCsrTensor& out,
                               const SparseCsrTensor& out_grad,
                               SparseCsrTensor* x_grad) {
  return ReluOfPartsGrad<T>(context, out, out_grad, x_grad);
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_SPARSE_SPARSE_MATH_H_
