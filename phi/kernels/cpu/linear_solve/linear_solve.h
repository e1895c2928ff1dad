// SPDX-License-Identifier: Apache-2.0
// The kernels of operators on stacks of square matrices on the CPU: inverse,
// determinant, solve, triangular_solve, cholesky and matrix_power, by Eigen
// (square_matrix.h). A matrix that has no answer is an error.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_LINEAR_SOLVE_LINEAR_SOLVE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_LINEAR_SOLVE_LINEAR_SOLVE_H_

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/linear_solve/matrices.h"
#include "phi/kernels/cpu/linear_solve/square_matrix.h"

namespace switchyard::phi::kernels::cpu {

inline absl::Status CheckInvertible(int64_t unfit) {
  return CheckFit(unfit, "invertible");
}

// f(n, matrix of x, matrix of out) for each matrix; f returns whether it is
// fit.
template <typename T, typename F>
int64_t FirstUnfitSquare(const DenseTensor& x, DenseTensor* out, const F& f) {
  const int64_t n = x.extent(x.rank() - 1), size = n * n;
  const T* from = x.data<T>();
  T* to = out->mutable_data<T>();
  return FirstUnfit(MatrixCount(x.shape()), size * n, [=](int64_t i) {
    return f(n, from + i * size, to + i * size);
  });
}

template <typename S>
inline constexpr auto kInverseSpec = KernelSpec<S>();
template <typename T>
absl::Status InverseKernel(const CpuContext&, const DenseTensor& x,
                           DenseTensor* out) {
  return CheckInvertible(FirstUnfitSquare<T>(x, out, &Invert<T>));
}

template <typename S>
inline constexpr auto kCholeskySpec = KernelSpec<S>();
template <typename T>
absl::Status CholeskyKernel(const CpuContext&, const DenseTensor& x, bool upper,
                            DenseTensor* out) {
  const int64_t unfit =
      FirstUnfitSquare<T>(x, out, [=](int64_t n, const T* from, T* to) {
        return FactorCholesky(n, upper, from, to);
      });
  return CheckFit(unfit, "positive definite");
}

template <typename S>
inline constexpr auto kMatrixPowerSpec = KernelSpec<S>();
template <typename T>
absl::Status MatrixPowerKernel(const CpuContext&, const DenseTensor& x, int n,
                               DenseTensor* out) {
  const int64_t unfit =
      FirstUnfitSquare<T>(x, out, [=](int64_t extent, const T* from, T* to) {
        return RaiseToPower(extent, n, from, to);
      });
  return CheckInvertible(unfit);
}

template <typename S>
inline constexpr auto kDeterminantSpec = KernelSpec<S>();
template <typename T>
absl::Status DeterminantKernel(const CpuContext&, const DenseTensor& x,
                               DenseTensor* out) {
  const int64_t n = x.extent(x.rank() - 1);
  const T* from = x.data<T>();
  T* to = out->mutable_data<T>();
  FirstUnfit(out->numel(), n * n * n, [=](int64_t i) {
    to[i] = Determinant(n, from + i * n * n);
    return true;
  });
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kDeterminantGradSpec = KernelSpec<S>();
template <typename T>
absl::Status DeterminantGradKernel(const CpuContext&, const DenseTensor& x,
                                   const DenseTensor& /*out*/,
                                   const DenseTensor& out_grad,
                                   DenseTensor* x_grad) {
  const int64_t n = x.extent(x.rank() - 1), size = n * n;
  const T* from = x.data<T>();
  const T* factors = out_grad.data<T>();
  T* to = x_grad->mutable_data<T>();
  FirstUnfit(out_grad.numel(), size * n, [=](int64_t i) {
    DeterminantGradient(n, factors[i], from + i * size, to + i * size);
    return true;
  });
  return absl::OkStatus();
}

// solve(n, k, matrix of x, of y, of out) for each matrix of out; vectors are
// matrices of one column.
template <typename T, typename F>
absl::Status SolveEach(const DenseTensor& x, const DenseTensor& y, bool vectors,
                       DenseTensor* out, const F& solve) {
  const int own_axes = vectors ? 1 : 2;
  const int64_t n = x.extent(x.rank() - 1);
  const int64_t k = vectors ? 1 : y.extent(y.rank() - 1);
  Shape batch = out->shape();
  batch.resize(out->rank() - own_axes);
  const BroadcastMatrices of_x(x, 2, batch), of_y(y, own_axes, batch);
  const T* a = x.data<T>();
  const T* b = y.data<T>();
  T* to = out->mutable_data<T>();
  const int64_t unfit =
      FirstUnfit(batch.numel(), n * n * (n + k), [&](int64_t i) {
        return solve(n, k, a + of_x.at(i) * n * n, b + of_y.at(i) * n * k,
                     to + i * n * k);
      });
  return CheckInvertible(unfit);
}

template <typename S>
inline constexpr auto kSolveSpec = KernelSpec<S>();
template <typename T>
absl::Status SolveKernel(const CpuContext&, const DenseTensor& x,
                         const DenseTensor& y, DenseTensor* out) {
  // As InferMeta has told them from matrices.
  const bool vectors = out->rank() < x.rank();
  return SolveEach<T>(x, y, vectors, out, &Solve<T>);
}

template <typename S>
inline constexpr auto kTriangularSolveSpec = KernelSpec<S>();
template <typename T>
absl::Status TriangularSolveKernel(const CpuContext&, const DenseTensor& x,
                                   const DenseTensor& y, bool upper,
                                   bool transpose, bool unitriangular,
                                   DenseTensor* out) {
  const Triangle triangle{upper, transpose, unitriangular};
  return SolveEach<T>(x, y, /*vectors=*/false, out,
                      [=](int64_t n, int64_t k, const T* a, const T* b, T* to) {
                        return SolveTriangle(n, k, triangle, a, b, to);
                      });
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_LINEAR_SOLVE_LINEAR_SOLVE_H_
