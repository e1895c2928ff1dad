// SPDX-License-Identifier: Apache-2.0
// The kernels of matmul, bmm, mul, mul's gradient and trace on the CPU: which
// products Gemm (phi/kernels/cpu/gemm/gemm.h) has to compute. Shapes are
// InferMeta's business.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_LINALG_LINALG_H_
#define SWITCHYARD_PHI_KERNELS_CPU_LINALG_LINALG_H_

#include <algorithm>
#include <type_traits>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/gemm/gemm.h"
#include "phi/kernels/cpu/simd/workspace.h"

namespace switchyard::phi::kernels::cpu {

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

template <typename S>
inline constexpr auto kMatmulSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status MatmulKernel(const CpuContext& context, const DenseTensor& x,
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
  Workspace<GemmProduct<T>> many;
  absl::Span<GemmProduct<T>> products(&one, 1);
  if (count > 1) {
    SY_ASSIGN_OR_RETURN(
        many, Workspace<GemmProduct<T>>::Make(context.allocator(), count));
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

template <typename S>
inline constexpr auto kBmmSpec = KernelSpec<S>().AllStrided();
// x and y are contiguous; out = x y with both flattened to matrices.
template <typename T>
absl::Status BmmKernel(const CpuContext& context, const DenseTensor& x,
                       const DenseTensor& y, DenseTensor* out) {
  return MatmulKernel<T>(context, x, y, false, false, out);
}

template <typename S>
inline constexpr auto kMulSpec = KernelSpec<S>();
template <typename T>
absl::Status MulKernel(const CpuContext& context, const DenseTensor& x,
                       const DenseTensor& y, int x_num_col_dims,
                       int y_num_col_dims, DenseTensor* out) {
  const int64_t m = x.shape().numel(0, x_num_col_dims);
  const int64_t k = x.shape().numel(x_num_col_dims, x.rank());
  const int64_t n = y.shape().numel(y_num_col_dims, y.rank());
  const GemmProduct<T> product{
      {x.data<T>(), k, 1}, {y.data<T>(), n, 1}, out->mutable_data<T>()};
  return Gemm(context.allocator(), m, n, k, absl::MakeConstSpan(&product, 1));
}

template <typename S>
inline constexpr auto kMulGradSpec = KernelSpec<S>();
// x_grad = out_grad y^T and y_grad = x^T out_grad, flattened.
template <typename T>
absl::Status MulGradKernel(const CpuContext& context, const DenseTensor& x,
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

template <typename S>
inline constexpr auto kTraceSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status TraceKernel(const CpuContext&, const DenseTensor& x, int offset,
                         int axis1, int axis2, DenseTensor* out) {
  using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
  SY_ASSIGN_OR_RETURN(axis1, NormalizeAxis("axis1", axis1, x.rank()));
  SY_ASSIGN_OR_RETURN(axis2, NormalizeAxis("axis2", axis2, x.rank()));
  // An offset moves the diagonal to the right, a negative one downwards.
  const int64_t row = std::max<int64_t>(0, -int64_t{offset});
  const int64_t column = std::max(0, offset);
  const int64_t length = std::max<int64_t>(
      0, std::min(x.extent(axis1) - row, x.extent(axis2) - column));
  const int64_t begin_at =
      length == 0 ? 0 : row * x.strides()[axis1] + column * x.strides()[axis2];
  const int64_t step = x.strides()[axis1] + x.strides()[axis2];
  const T* from = x.data<T>() + begin_at;
  T* to = out->mutable_data<T>();
  const int64_t grain =
      std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(1, length));
  ParallelFor(0, out->numel(), grain, [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      int64_t rest = o, at = 0;
      for (int axis = x.rank() - 1; axis >= 0; --axis) {
        if (axis == axis1 || axis == axis2) continue;
        at += rest % x.extent(axis) * x.strides()[axis];
        rest /= x.extent(axis);
      }
      Sum sum = 0;
      for (int64_t i = 0; i < length; ++i) {
        sum += static_cast<Sum>(from[at + i * step]);
      }
      to[o] = static_cast<T>(sum);
    }
  });
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_LINALG_LINALG_H_
