// SPDX-License-Identifier: Apache-2.0
// The kernels of decompositions of stacks of matrices on the CPU: qr, geqrf,
// svd, svdvals, eigh, eigvalsh, lu and matrix_rank, by Eigen (any_matrix.h).
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DECOMPOSITION_DECOMPOSITION_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DECOMPOSITION_DECOMPOSITION_H_

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/decomposition/any_matrix.h"
#include "phi/kernels/cpu/linear_solve/matrices.h"

namespace switchyard::phi::kernels::cpu {

inline absl::Status CheckFinite(int64_t unfit) {
  return CheckFit(unfit, "finite");
}

// The extents of x's matrices, and how much work a decomposition is.
struct MatrixExtents {
  explicit MatrixExtents(const DenseTensor& x)
      : m(x.extent(x.rank() - 2)), n(x.extent(x.rank() - 1)) {}
  int64_t smaller() const { return std::min(m, n); }
  int64_t work() const { return m * n * smaller(); }

  int64_t m;
  int64_t n;
};

template <typename S>
inline constexpr auto kQrSpec = KernelSpec<S>();
template <typename T>
absl::Status QrKernel(const CpuContext&, const DenseTensor& x,
                      std::string_view mode, DenseTensor* q, DenseTensor* r) {
  const MatrixExtents e(x);
  const int64_t k = mode == "complete" ? e.m : e.smaller();
  const T* from = x.data<T>();
  T* to_q = mode == "r" ? nullptr : q->mutable_data<T>();
  T* to_r = r->mutable_data<T>();
  FirstUnfit(MatrixCount(x.shape()), e.work(), [=](int64_t i) {
    FactorQr(e.m, e.n, k, from + i * e.m * e.n,
             to_q == nullptr ? nullptr : to_q + i * e.m * k,
             to_r + i * k * e.n);
    return true;
  });
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kGeqrfSpec = KernelSpec<S>();
template <typename T>
absl::Status GeqrfKernel(const CpuContext&, const DenseTensor& x,
                         DenseTensor* a, DenseTensor* tau) {
  const MatrixExtents e(x);
  const T* from = x.data<T>();
  T *to_a = a->mutable_data<T>(), *to_tau = tau->mutable_data<T>();
  FirstUnfit(MatrixCount(x.shape()), e.work(), [=](int64_t i) {
    const int64_t at = i * e.m * e.n;
    FactorReflections(e.m, e.n, from + at, to_a + at, to_tau + i * e.smaller());
    return true;
  });
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kSvdSpec = KernelSpec<S>().Output(S::kS, AnyDtype());
template <typename T>
absl::Status SvdKernel(const CpuContext&, const DenseTensor& x,
                       bool full_matrices, DenseTensor* u, DenseTensor* s,
                       DenseTensor* vh) {
  const MatrixExtents e(x);
  const int64_t k = e.smaller();
  const int64_t u_size = e.m * (full_matrices ? e.m : k);
  const int64_t vh_size = e.n * (full_matrices ? e.n : k);
  const T* from = x.data<T>();
  T* to_u = u->mutable_data<T>();
  auto* to_s = s->mutable_data<RealType<T>>();
  T* to_vh = vh->mutable_data<T>();
  const int64_t unfit =
      FirstUnfit(MatrixCount(x.shape()), e.work(), [=](int64_t i) {
        return FactorSvd<T>(e.m, e.n, full_matrices, from + i * e.m * e.n,
                            to_u + i * u_size, to_s + i * k,
                            to_vh + i * vh_size);
      });
  return CheckFinite(unfit);
}

template <typename S>
inline constexpr auto kSvdvalsSpec = KernelSpec<S>().Output(S::kS, AnyDtype());
template <typename T>
absl::Status SvdvalsKernel(const CpuContext&, const DenseTensor& x,
                           DenseTensor* s) {
  const MatrixExtents e(x);
  const T* from = x.data<T>();
  auto* to = s->mutable_data<RealType<T>>();
  const int64_t unfit =
      FirstUnfit(MatrixCount(x.shape()), e.work(), [=](int64_t i) {
        return FactorSvd<T>(e.m, e.n, /*full=*/false, from + i * e.m * e.n,
                            nullptr, to + i * e.smaller(), nullptr);
      });
  return CheckFinite(unfit);
}

template <typename S>
inline constexpr auto kEighSpec = KernelSpec<S>().Output(S::kOutW, AnyDtype());
template <typename T>
absl::Status EighKernel(const CpuContext&, const DenseTensor& x,
                        std::string_view uplo, DenseTensor* out_w,
                        DenseTensor* out_v) {
  const MatrixExtents e(x);
  const bool upper = uplo == "U";
  const T* from = x.data<T>();
  auto* w = out_w->mutable_data<RealType<T>>();
  T* v = out_v == nullptr ? nullptr : out_v->mutable_data<T>();
  const int64_t unfit =
      FirstUnfit(MatrixCount(x.shape()), e.work(), [=](int64_t i) {
        return FactorSymmetric<T>(e.n, upper, from + i * e.n * e.n, w + i * e.n,
                                  v == nullptr ? nullptr : v + i * e.n * e.n);
      });
  return CheckFinite(unfit);
}

template <typename S>
inline constexpr auto kEigvalshSpec = KernelSpec<S>().Output(S::kEigenvalues,
                                                             AnyDtype());
template <typename T>
absl::Status EigvalshKernel(const CpuContext& context, const DenseTensor& x,
                            std::string_view uplo, DenseTensor* eigenvalues) {
  return EighKernel<T>(context, x, uplo, eigenvalues, nullptr);
}

template <typename S>
inline constexpr auto kLuSpec = KernelSpec<S>()
                                    .Output(S::kPivots, Fixed(DataType::kInt32))
                                    .Output(S::kInfos, Fixed(DataType::kInt32));
template <typename T>
absl::Status LuKernel(const CpuContext&, const DenseTensor& x, DenseTensor* out,
                      DenseTensor* pivots, DenseTensor* infos) {
  const MatrixExtents e(x);
  const T* from = x.data<T>();
  T* to = out->mutable_data<T>();
  auto* to_pivots = pivots->mutable_data<int32_t>();
  auto* to_infos = infos->mutable_data<int32_t>();
  FirstUnfit(MatrixCount(x.shape()), e.work(), [=](int64_t i) {
    const int64_t at = i * e.m * e.n;
    to_infos[i] =
        FactorLu(e.m, e.n, from + at, to + at, to_pivots + i * e.smaller());
    return true;
  });
  return absl::OkStatus();
}

// How many of the `count` magnitudes are above the tolerance, which is at least
// that of the largest one where `relative` says so.
template <typename T>
int64_t CountAbove(const T* magnitudes, int64_t count, T tolerance,
                   T relative) {
  T largest = 0;
  for (int64_t i = 0; i < count; ++i) {
    largest = std::max(largest, std::fabs(magnitudes[i]));
  }
  const T limit = std::max(tolerance, relative * largest);
  return std::count_if(magnitudes, magnitudes + count,
                       [=](T v) { return std::fabs(v) > limit; });
}

template <typename S>
inline constexpr auto kMatrixRankSpec =
    KernelSpec<S>().Output(S::kOut, Fixed(DataType::kInt64));
template <typename T>
absl::Status MatrixRankKernel(const CpuContext&, const DenseTensor& x,
                              const DenseTensor* tol_tensor, double tol,
                              bool hermitian, bool use_default_tol,
                              DenseTensor* out) {
  const MatrixExtents e(x);
  const int64_t k = e.smaller(), matrices = MatrixCount(x.shape());
  std::vector<T> magnitudes(matrices * k);
  const T* from = x.data<T>();
  T* to = magnitudes.data();
  const int64_t unfit = FirstUnfit(matrices, e.work(), [=](int64_t i) {
    const T* matrix = from + i * e.m * e.n;
    return hermitian ? FactorSymmetric<T>(e.n, /*upper=*/false, matrix,
                                          to + i * k, nullptr)
                     : FactorSvd<T>(e.m, e.n, /*full=*/false, matrix, nullptr,
                                    to + i * k, nullptr);
  });
  SY_RETURN_IF_ERROR(CheckFinite(unfit));
  const T relative = use_default_tol ? std::numeric_limits<T>::epsilon() *
                                           static_cast<T>(std::max(e.m, e.n))
                                     : 0;
  const BroadcastMatrices of_x(x, 2, out->shape());
  const BroadcastMatrices of_tol(tol_tensor == nullptr ? x : *tol_tensor, 0,
                                 out->shape());
  auto* ranks = out->mutable_data<int64_t>();
  for (int64_t i = 0; i < out->numel(); ++i) {
    const T tolerance = tol_tensor == nullptr
                            ? static_cast<T>(use_default_tol ? 0 : tol)
                            : tol_tensor->data<T>()[of_tol.at(i)];
    ranks[i] = CountAbove<T>(to + of_x.at(i) * k, k, tolerance, relative);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DECOMPOSITION_DECOMPOSITION_H_
