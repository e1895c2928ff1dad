// SPDX-License-Identifier: Apache-2.0
// The functions of cuBLAS that this project calls, over FakeCuda's streams.
#include "cublas_v2.h"
#include "framework/device/gpu/testing/fake_cuda.h"

// cuBLAS's handle.
struct cublasContext {
  cudaStream_t stream = nullptr;
};

cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  *handle = new cublasContext();
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) {
  return CUBLAS_STATUS_SUCCESS;
}

const char* cublasGetStatusString(cublasStatus_t) { return "a cuBLAS status"; }

namespace {

// c = alpha op(a) op(b) + beta c, of matrices whose columns are contiguous; c
// is not read where beta is 0.
template <typename T>
cublasStatus_t Gemm(cublasHandle_t handle, bool transpose_a, bool transpose_b,
                    int m, int n, int k, T alpha, const T* a, int lda,
                    const T* b, int ldb, T beta, T* c, int ldc) {
  if (lda < (transpose_a ? k : m) || ldb < (transpose_b ? n : k) || ldc < m) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  const int code = switchyard::FakeCuda::Launch(handle->stream, [=] {
    for (int column = 0; column < n; ++column) {
      for (int row = 0; row < m; ++row) {
        double sum = 0;
        for (int i = 0; i < k; ++i) {
          const T left = transpose_a ? a[int64_t{row} * lda + i]
                                     : a[int64_t{i} * lda + row];
          const T right = transpose_b ? b[int64_t{i} * ldb + column]
                                      : b[int64_t{column} * ldb + i];
          sum += static_cast<double>(left) * static_cast<double>(right);
        }
        T& to = c[int64_t{column} * ldc + row];
        const T before = beta == 0 ? T{0} : beta * to;
        to = static_cast<T>(static_cast<double>(alpha) * sum) + before;
      }
    }
  });
  return code == 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // namespace

cublasStatus_t cublasSgemm(cublasHandle_t handle, cublasOperation_t op_a,
                           cublasOperation_t op_b, int m, int n, int k,
                           const float* alpha, const float* a, int lda,
                           const float* b, int ldb, const float* beta, float* c,
                           int ldc) {
  return Gemm(handle, op_a != CUBLAS_OP_N, op_b != CUBLAS_OP_N, m, n, k, *alpha,
              a, lda, b, ldb, *beta, c, ldc);
}

cublasStatus_t cublasDgemm(cublasHandle_t handle, cublasOperation_t op_a,
                           cublasOperation_t op_b, int m, int n, int k,
                           const double* alpha, const double* a, int lda,
                           const double* b, int ldb, const double* beta,
                           double* c, int ldc) {
  return Gemm(handle, op_a != CUBLAS_OP_N, op_b != CUBLAS_OP_N, m, n, k, *alpha,
              a, lda, b, ldb, *beta, c, ldc);
}
