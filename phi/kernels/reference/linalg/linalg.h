// SPDX-License-Identifier: Apache-2.0
// Reference kernels of matrix products, three loops, and of trace: floating
// sums in double, integer ones modulo 2^64.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_LINALG_LINALG_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_LINALG_LINALG_H_

#include <algorithm>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// The element of an operand of matmul in its stack of matrices: `batch` is the
// index in out's leading axes (of which there are `batch_axes`).
template <typename T>
SumOf<T> MatrixAt(const DenseTensor& x, bool transpose, const Index& batch,
                  int batch_axes, int64_t row, int64_t column) {
  if (transpose) std::swap(row, column);
  Index index = {};
  const int own = x.rank() - 2;
  for (int axis = 0; axis < own; ++axis) {
    index[axis] = x.extent(axis) == 1 ? 0 : batch[batch_axes - own + axis];
  }
  index[own] = row;
  index[own + 1] = column;
  return static_cast<SumOf<T>>(At<T>(x, index));
}

// x with a 1-d operand made a matrix of one row, or of one column.
inline DenseTensor AsMatrix(const DenseTensor& x, bool row) {
  if (x.rank() > 1) return x;
  const int64_t stride = x.strides()[0];
  DenseTensor matrix;
  matrix.SetView(x, row ? Shape({1, x.extent(0)}) : Shape({x.extent(0), 1}),
                 {stride, stride}, x.offset());
  return matrix;
}

template <typename S>
inline constexpr auto kMatmulSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status MatmulKernel(const ReferenceContext&, const DenseTensor& x,
                          const DenseTensor& y, bool transpose_x,
                          bool transpose_y, DenseTensor* out) {
  const DenseTensor a = AsMatrix(x, /*row=*/true);
  const DenseTensor b = AsMatrix(y, /*row=*/false);
  transpose_x = transpose_x && x.rank() > 1;
  transpose_y = transpose_y && y.rank() > 1;
  const int64_t m = a.extent(a.rank() - (transpose_x ? 1 : 2));
  const int64_t k = a.extent(a.rank() - (transpose_x ? 2 : 1));
  const int64_t n = b.extent(b.rank() - (transpose_y ? 2 : 1));
  const int batch_axes = std::max(a.rank(), b.rank()) - 2;
  Shape batch_shape = out->shape();
  batch_shape.resize(batch_axes);
  for (int64_t i = 0; i < out->numel(); ++i) {
    const Index batch = Unravel(batch_shape, i / (m * n));
    SumOf<T> sum = 0;
    for (int64_t p = 0; p < k; ++p) {
      sum += MatrixAt<T>(a, transpose_x, batch, batch_axes, i / n % m, p) *
             MatrixAt<T>(b, transpose_y, batch, batch_axes, p, i % n);
    }
    out->mutable_data<T>()[i] = static_cast<T>(sum);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kBmmSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status BmmKernel(const ReferenceContext&, const DenseTensor& x,
                       const DenseTensor& y, DenseTensor* out) {
  for (int64_t i = 0; i < out->numel(); ++i) {
    const Index at = Unravel(out->shape(), i);
    SumOf<T> sum = 0;
    for (int64_t p = 0; p < x.extent(2); ++p) {
      sum += static_cast<SumOf<T>>(At<T>(x, Index{at[0], at[1], p})) *
             static_cast<SumOf<T>>(At<T>(y, Index{at[0], p, at[2]}));
    }
    out->mutable_data<T>()[i] = static_cast<T>(sum);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kTraceSpec = KernelSpec<S>().AllStrided();
// Every element of the diagonal goes to its matrix's sum.
template <typename T>
absl::Status TraceKernel(const ReferenceContext&, const DenseTensor& x,
                         int offset, int axis1, int axis2, DenseTensor* out) {
  if (axis1 < 0) axis1 += x.rank();
  if (axis2 < 0) axis2 += x.rank();
  std::vector<SumOf<T>> sums(out->numel());
  for (int64_t i = 0; i < x.numel(); ++i) {
    const Index index = Unravel(x.shape(), i);
    if (index[axis2] - index[axis1] != offset) continue;
    Index target = {};
    int next = 0;
    for (int axis = 0; axis < x.rank(); ++axis) {
      if (axis != axis1 && axis != axis2) target[next++] = index[axis];
    }
    sums[Ravel(out->shape(), target)] += static_cast<SumOf<T>>(At<T>(x, i));
  }
  for (int64_t o = 0; o < out->numel(); ++o) {
    out->mutable_data<T>()[o] = static_cast<T>(sums[o]);
  }
  return absl::OkStatus();
}

// The number of columns of x flattened after `num_col_dims` axes.
inline int64_t Columns(const DenseTensor& x, int num_col_dims) {
  return x.shape().numel(num_col_dims, x.rank());
}

inline int64_t Rows(const DenseTensor& x, int num_col_dims) {
  return x.shape().numel(0, num_col_dims);
}

template <typename S>
inline constexpr auto kMulSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status MulKernel(const ReferenceContext&, const DenseTensor& x,
                       const DenseTensor& y, int x_num_col_dims,
                       int y_num_col_dims, DenseTensor* out) {
  const int64_t k = Columns(x, x_num_col_dims);
  const int64_t n = Columns(y, y_num_col_dims);
  for (int64_t i = 0; i < out->numel(); ++i) {
    SumOf<T> sum = 0;
    for (int64_t p = 0; p < k; ++p) {
      sum += static_cast<SumOf<T>>(At<T>(x, i / n * k + p)) *
             static_cast<SumOf<T>>(At<T>(y, p * n + i % n));
    }
    out->mutable_data<T>()[i] = static_cast<T>(sum);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kMulGradSpec = KernelSpec<S>().AllStrided();
// x_grad = out_grad y^T, y_grad = x^T out_grad, all flattened.
template <typename T>
absl::Status MulGradKernel(const ReferenceContext&, const DenseTensor& x,
                           const DenseTensor& y, const DenseTensor& out_grad,
                           int x_num_col_dims, int y_num_col_dims,
                           DenseTensor* x_grad, DenseTensor* y_grad) {
  const int64_t m = Rows(x, x_num_col_dims);
  const int64_t k = Columns(x, x_num_col_dims);
  const int64_t n = Columns(y, y_num_col_dims);
  for (int64_t i = 0; x_grad != nullptr && i < x_grad->numel(); ++i) {
    double sum = 0;
    for (int64_t j = 0; j < n; ++j) {
      sum += double{At<T>(out_grad, i / k * n + j)} *
             double{At<T>(y, i % k * n + j)};
    }
    x_grad->mutable_data<T>()[i] = static_cast<T>(sum);
  }
  for (int64_t i = 0; y_grad != nullptr && i < y_grad->numel(); ++i) {
    double sum = 0;
    for (int64_t j = 0; j < m; ++j) {
      sum += double{At<T>(x, j * k + i / n)} *
             double{At<T>(out_grad, j * n + i % n)};
    }
    y_grad->mutable_data<T>()[i] = static_cast<T>(sum);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_LINALG_LINALG_H_
