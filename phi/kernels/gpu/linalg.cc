// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/gpu/linalg.h"

#include <algorithm>
#include <limits>
#include <string>

#include "cublas_v2.h"
#include "framework/device/gpu/gpu_context.h"
#include "phi/core/signatures/matmul.gen.h"

namespace switchyard::phi::kernels::gpu {
namespace {

// One contiguous operand as a stack of matrices; a 1-d one is a row or column.
struct Matrices {
  int64_t rows = 1;
  int64_t columns = 1;
  bool transposed = false;
  Strides batch_strides = {};
};

Matrices AsMatrices(const DenseTensor& x, bool transpose, bool vector_is_row,
                    int batch_axes) {
  Matrices m;
  const int rank = x.rank();
  if (rank == 1) {
    (vector_is_row ? m.columns : m.rows) = x.extent(0);
    return m;
  }
  m.rows = x.extent(rank - 2);
  m.columns = x.extent(rank - 1);
  m.transposed = transpose;
  const int lead = batch_axes - (rank - 2);
  for (int axis = 0; axis < rank - 2; ++axis) {
    m.batch_strides[lead + axis] = x.extent(axis) == 1 ? 0 : x.strides()[axis];
  }
  return m;
}

int64_t OffsetOf(const Matrices& m, const Shape& batch, int64_t i) {
  int64_t offset = 0;
  for (int axis = batch.rank() - 1; axis >= 0; --axis) {
    offset += i % batch.extent(axis) * m.batch_strides[axis];
    i /= batch.extent(axis);
  }
  return offset;
}

constexpr auto kGemmFloat = &cublasSgemm;
constexpr auto kGemmDouble = &cublasDgemm;

template <typename T, typename Gemm>
absl::Status Multiplied(const GpuContext& context, Gemm gemm,
                        const DenseTensor& x, const DenseTensor& y,
                        bool transpose_x, bool transpose_y, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(cublasContext* const cublas, context.cublas());
  if (out->numel() == 0) return absl::OkStatus();
  const int batch_axes = std::max({x.rank(), y.rank(), 2}) - 2;
  Shape batch = out->shape();
  batch.resize(batch_axes);
  const Matrices a =
      AsMatrices(x, transpose_x, /*vector_is_row=*/true, batch_axes);
  const Matrices b =
      AsMatrices(y, transpose_y, /*vector_is_row=*/false, batch_axes);
  const int64_t m = a.transposed ? a.columns : a.rows;
  const int64_t k = a.transposed ? a.rows : a.columns;
  const int64_t n = b.transposed ? b.rows : b.columns;
  if (std::max({m, n, k}) > std::numeric_limits<int>::max()) {
    return SizeError("x and y", "of extents below 2^31 on a GPU",
                     std::to_string(std::max({m, n, k})));
  }
  // cuBLAS's matrices are column-major, so that ours are their transposes: it
  // computes out^T = y^T x^T.
  const T one = 1, zero = 0;
  for (int64_t i = 0; i < batch.numel(); ++i) {
    const cublasStatus_t status =
        gemm(cublas, b.transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
             a.transposed ? CUBLAS_OP_T : CUBLAS_OP_N, static_cast<int>(n),
             static_cast<int>(m), static_cast<int>(k), &one,
             y.data<T>() + OffsetOf(b, batch, i),
             static_cast<int>(std::max<int64_t>(1, b.columns)),
             x.data<T>() + OffsetOf(a, batch, i),
             static_cast<int>(std::max<int64_t>(1, a.columns)), &zero,
             out->mutable_data<T>() + i * m * n, static_cast<int>(n));
    if (status != CUBLAS_STATUS_SUCCESS) {
      return absl::InternalError(std::string("cuBLAS's gemm: ") +
                                 cublasGetStatusString(status));
    }
  }
  return absl::OkStatus();
}

}  // namespace

template <>
absl::Status MatmulKernel<float>(const GpuContext& context,
                                 const DenseTensor& x, const DenseTensor& y,
                                 bool transpose_x, bool transpose_y,
                                 DenseTensor* out) {
  return Multiplied<float>(context, kGemmFloat, x, y, transpose_x, transpose_y,
                           out);
}

template <>
absl::Status MatmulKernel<double>(const GpuContext& context,
                                  const DenseTensor& x, const DenseTensor& y,
                                  bool transpose_x, bool transpose_y,
                                  DenseTensor* out) {
  return Multiplied<double>(context, kGemmDouble, x, y, transpose_x,
                            transpose_y, out);
}

}  // namespace switchyard::phi::kernels::gpu
