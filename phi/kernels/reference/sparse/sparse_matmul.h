// SPDX-License-Identifier: Apache-2.0
// Reference kernels of products of a sparse matrix and a dense one: by
// coordinates, each element summed in double.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_SPARSE_SPARSE_MATMUL_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_SPARSE_SPARSE_MATMUL_H_

#include <cstdint>
#include <string>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/sparse.h"
#include "phi/core/allocate_output.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"
#include "phi/kernels/reference/sparse/sparse_parts.h"

namespace switchyard::phi::kernels::reference {

// Returns x as a matrix of numbers by coordinates.
template <typename T, typename Sparse>
absl::StatusOr<SparseParts> TakeMatrix(const Sparse& x) {
  SparseParts parts = TakeApart<T>(x);
  if (parts.shape.rank() == 2 && parts.axes == 2) return parts;
  return ArgumentError("x", "a matrix of two sparse axes",
                       ToString(x.shape()) + " of " +
                           std::to_string(parts.axes) + " sparse axes");
}

template <typename T, typename Sparse>
absl::Status MatmulOfParts(const Sparse& x, const DenseTensor& y,
                           DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const SparseParts parts, TakeMatrix<T>(x));
  for (int64_t row = 0; row < out->extent(0); ++row) {
    for (int64_t column = 0; column < out->extent(1); ++column) {
      double sum = 0;
      for (const SparsePart& part : parts.parts) {
        if (part.at[0] != row) continue;
        sum += part.block[0] *
               static_cast<double>(At<T>(y, Index{part.at[1], column}));
      }
      out->mutable_data<T>()[row * out->extent(1) + column] =
          static_cast<T>(sum);
    }
  }
  return absl::OkStatus();
}

template <typename T, typename Sparse>
absl::Status MatmulOfPartsGrad(const ReferenceContext& context, const Sparse& x,
                               const DenseTensor& y,
                               const DenseTensor& out_grad, Sparse* x_grad,
                               DenseTensor* y_grad) {
  SY_ASSIGN_OR_RETURN(SparseParts parts, TakeMatrix<T>(x));
  const int64_t width = y.extent(1);
  const auto grad = [&](int64_t row, int64_t column) {
    return static_cast<double>(At<T>(out_grad, Index{row, column}));
  };
  for (int64_t e = 0; y_grad != nullptr && e < y_grad->numel(); ++e) {
    double sum = 0;
    for (const SparsePart& part : parts.parts) {
      if (part.at[1] != e / width) continue;
      sum += part.block[0] * grad(part.at[0], e % width);
    }
    y_grad->mutable_data<T>()[e] = static_cast<T>(sum);
  }
  if (x_grad == nullptr) return absl::OkStatus();
  for (SparsePart& part : parts.parts) {
    part.block[0] = 0;
    for (int64_t column = 0; column < width; ++column) {
      part.block[0] += grad(part.at[0], column) *
                       static_cast<double>(At<T>(y, Index{part.at[1], column}));
    }
  }
  return Assemble<T>(context, parts, x_grad);
}

template <typename S>
inline constexpr auto kCooMatmulSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status CooMatmulKernel(const ReferenceContext&, const SparseCooTensor& x,
                             const DenseTensor& y, DenseTensor* out) {
  return MatmulOfParts<T>(x, y, out);
}

template <typename S>
inline constexpr auto kCooMatmulGradSpec =
    KernelSpec<S>().AllStrided().Output(S::kXGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CooMatmulGradKernel(const ReferenceContext& context,
                                 const SparseCooTensor& x, const DenseTensor& y,
                                 const DenseTensor& out_grad,
                                 SparseCooTensor* x_grad, DenseTensor* y_grad) {
  return MatmulOfPartsGrad<T>(context, x, y, out_grad, x_grad, y_grad);
}

template <typename S>
inline constexpr auto kCsrMatmulSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status CsrMatmulKernel(const ReferenceContext&, const SparseCsrTensor& x,
                             const DenseTensor& y, DenseTensor* out) {
  return MatmulOfParts<T>(x, y, out);
}

template <typename S>
inline constexpr auto kCsrMatmulGradSpec =
    KernelSpec<S>().AllStrided().Output(S::kXGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CsrMatmulGradKernel(const ReferenceContext& context,
                                 const SparseCsrTensor& x, const DenseTensor& y,
                                 const DenseTensor& out_grad,
                                 SparseCsrTensor* x_grad, DenseTensor* y_grad) {
  return MatmulOfPartsGrad<T>(context, x, y, out_grad, x_grad, y_grad);
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_SPARSE_SPARSE_MATMUL_H_
