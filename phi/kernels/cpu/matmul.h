// SPDX-License-Identifier: Apache-2.0
// The kernels of matmul, bmm, mul and mul's gradient on the CPU: which products
// Gemm (gemm.h) has to compute. Shapes are InferMeta's business.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_MATMUL_H_
#define SWITCHYARD_PHI_KERNELS_CPU_MATMUL_H_

#include <algorithm>

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/kernels/cpu/gemm.h"
#include "phi/kernels/cpu/scratch.h"

namespace switchyard::phi::kernels {

// The last two axes of an operand of matmul, and the strides of the others
// along out's leading axes (0 where broadcast).
struct MatrixStack {
  int64_t rows = 1;
  int64_t columns = 1;
  int64_t row_stride = 0;
  int64_t column_stride = 0;
  Strides batch_strides = {};
};

// `vector_is_row`: what a 1-d operand is.
inline MatrixStack AsStack(const DenseTensor& x, bool transpose,
                           bool vector_is_row, int batch_axes) {
  MatrixStack stack;
  const int rank = x.rank();
  if (rank == 1) {
    (vector_is_row ? stack.columns : stack.rows) = x.extent(0);
    (vector_is_row ? stack.column_stride : stack.row_stride) = x.strides()[0];
    return stack;
  }
  stack.rows = x.extent(rank - 2);
  stack.columns = x.extent(rank - 1);
  stack.row_stride = x.strides()[rank - 2];
  stack.column_stride = x.strides()[rank - 1];
  if (transpose) {
    std::swap(stack.rows, stack.columns);
    std::swap(stack.row_stride, stack.column_stride);
  }
  const int lead = batch_axes - (rank - 2);
  for (int axis = 0; axis < rank - 2; ++axis) {
    stack.batch_strides[lead + axis] =
        x.extent(axis) == 1 ? 0 : x.strides()[axis];
  }
  return stack;
}

// If one matrix y multiplies a stack x whose rows follow each other evenly, the
// stack is one tall matrix.
inline bool IsTall(const MatrixStack& a, const MatrixStack& b,
                   const Shape& batch) {
  int64_t stride = a.row_stride * a.rows;
  for (int axis = batch.rank() - 1; axis >= 0; --axis) {
    if (b.batch_strides[axis] != 0) return false;
    if (batch.extent(axis) == 1) continue;
    if (a.batch_strides[axis] != stride) return false;
    stride *= batch.extent(axis);
  }
  return true;
}

template <typename T, typename Context>
absl::Status MatmulKernel(const Context& context, const DenseTensor& x,
                          const DenseTensor& y, bool transpose_x,
                          bool transpose_y, DenseTensor* out) {
  if (out->numel() == 0) return absl::OkStatus();
  const int batch_axes = std::max({x.rank(), y.rank(), 2}) - 2;
  Shape batch = out->shape();
  batch.resize(batch_axes);
  MatrixStack a = AsStack(x, transpose_x, /*vector_is_row=*/true, batch_axes);
  const MatrixStack b =
      AsStack(y, transpose_y, /*vector_is_row=*/false, batch_axes);
  int64_t count = batch.numel();
  if (count > 1 && IsTall(a, b, batch)) {
    a.rows *= count;
    count = 1;
  }
  GemmProduct<T> one;
  Scratch<GemmProduct<T>> many;
  absl::Span<GemmProduct<T>> products(&one, 1);
  if (count > 1) {
    SY_ASSIGN_OR_RETURN(
        many, Scratch<GemmProduct<T>>::Make(context.allocator(), count));
    products = many.span();
  }
  int64_t index[kMaxRank] = {};
  int64_t x_offset = 0, y_offset = 0;
  for (int64_t i = 0; i < count; ++i) {
    products[i] = {{x.data<T>() + x_offset, a.row_stride, a.column_stride},
                   {y.data<T>() + y_offset, b.row_stride, b.column_stride},
                   out->mutable_data<T>() + i * a.rows * b.columns};
    for (int axis = batch_axes - 1; axis >= 0; --axis) {
      x_offset += a.batch_strides[axis];
      y_offset += b.batch_strides[axis];
      if (++index[axis] < batch.extent(axis)) break;
      x_offset -= index[axis] * a.batch_strides[axis];
      y_offset -= index[axis] * b.batch_strides[axis];
      index[axis] = 0;
    }
  }
  return Gemm(context.allocator(), a.rows, b.columns, a.columns,
              absl::MakeConstSpan(products));
}

// x and y are contiguous; out = x y with both flattened to matrices.
template <typename T, typename Context>
absl::Status BmmKernel(const Context& context, const DenseTensor& x,
                       const DenseTensor& y, DenseTensor* out) {
  return MatmulKernel<T>(context, x, y, false, false, out);
}

template <typename T, typename Context>
absl::Status MulKernel(const Context& context, const DenseTensor& x,
                       const DenseTensor& y, int x_num_col_dims,
                       int y_num_col_dims, DenseTensor* out) {
  const int64_t m = x.shape().numel(0, x_num_col_dims);
  const int64_t k = x.shape().numel(x_num_col_dims, x.rank());
  const int64_t n = y.shape().numel(y_num_col_dims, y.rank());
  const GemmProduct<T> product{
      {x.data<T>(), k, 1}, {y.data<T>(), n, 1}, out->mutable_data<T>()};
  return Gemm(context.allocator(), m, n, k, absl::MakeConstSpan(&product, 1));
}

// x_grad = out_grad y^T and y_grad = x^T out_grad, flattened.
template <typename T, typename Context>
absl::Status MulGradKernel(const Context& context, const DenseTensor& x,
                           const DenseTensor& y, const DenseTensor& out_grad,
                           int x_num_col_dims, int y_num_col_dims,
                           DenseTensor* x_grad, DenseTensor* y_grad) {
  const int64_t m = x.shape().numel(0, x_num_col_dims);
  const int64_t k = x.shape().numel(x_num_col_dims, x.rank());
  const int64_t n = y.shape().numel(y_num_col_dims, y.rank());
  if (x_grad != nullptr) {
    const GemmProduct<T> product{{out_grad.data<T>(), n, 1},
                                 {y.data<T>(), 1, n},
                                 x_grad->mutable_data<T>()};
    SY_RETURN_IF_ERROR(
        Gemm(context.allocator(), m, k, n, absl::MakeConstSpan(&product, 1)));
  }
  if (y_grad != nullptr) {
    const GemmProduct<T> product{{x.data<T>(), 1, k},
                                 {out_grad.data<T>(), n, 1},
                                 y_grad->mutable_data<T>()};
    SY_RETURN_IF_ERROR(
        Gemm(context.allocator(), k, n, m, absl::MakeConstSpan(&product, 1)));
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_CPU_MATMUL_H_
