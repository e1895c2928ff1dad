// SPDX-License-Identifier: Apache-2.0
// Reference kernels of decompositions of stacks of matrices, as a textbook has
// them, in double: Jacobi's rotations (jacobi.h), Householder's reflections,
// elimination with row exchanges.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_DECOMPOSITION_DECOMPOSITION_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_DECOMPOSITION_DECOMPOSITION_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/decomposition/complex_matrix.h"
#include "phi/kernels/reference/decomposition/jacobi.h"
#include "phi/kernels/reference/linear_solve/matrix.h"

namespace switchyard::phi::kernels::reference {

template <typename N>
absl::Status CheckFinite(const MatrixOf<N>& a) {
  if (IsFinite(a)) return absl::OkStatus();
  return ArgumentError("x", "a stack of finite matrices", "one that is not");
}

template <typename T>
void SetVector(const std::vector<double>& values, int64_t i, DenseTensor* out) {
  for (size_t e = 0; e < values.size(); ++e) {
    out->mutable_data<RealType<T>>()[i * values.size() + e] =
        static_cast<RealType<T>>(values[e]);
  }
}

template <typename S>
inline constexpr auto kSvdSpec =
    KernelSpec<S>().AllStrided().Output(S::kS, AnyDtype());
template <typename T>
absl::Status SvdKernel(const ReferenceContext&, const DenseTensor& x,
                       bool full_matrices, DenseTensor* u, DenseTensor* s,
                       DenseTensor* vh) {
  for (int64_t i = 0; i < MatrixCount(x); ++i) {
    const MatrixFor<T> a = MakeMatrix<T>(x, i);
    SY_RETURN_IF_ERROR(CheckFinite(a));
    auto svd = Svd(a);
    FixSigns(&svd);
    const auto k = static_cast<int64_t>(svd.s.size());
    SetMatrix<T>(full_matrices ? svd.u : FirstColumns(svd.u, k), i, u);
    SetVector<T>(svd.s, i, s);
    const MatrixFor<T> right = full_matrices ? svd.v : FirstColumns(svd.v, k);
    SetMatrix<T>(right.Adjoint(), i, vh);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kSvdvalsSpec =
    KernelSpec<S>().AllStrided().Output(S::kS, AnyDtype());
template <typename T>
absl::Status SvdvalsKernel(const ReferenceContext&, const DenseTensor& x,
                           DenseTensor* s) {
  for (int64_t i = 0; i < MatrixCount(x); ++i) {
    const MatrixFor<T> a = MakeMatrix<T>(x, i);
    SY_RETURN_IF_ERROR(CheckFinite(a));
    SetVector<T>(Svd(a).s, i, s);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kEighSpec =
    KernelSpec<S>().AllStrided().Output(S::kOutW, AnyDtype());
template <typename T>
absl::Status EighKernel(const ReferenceContext&, const DenseTensor& x,
                        std::string_view uplo, DenseTensor* out_w,
                        DenseTensor* out_v) {
  for (int64_t i = 0; i < MatrixCount(x); ++i) {
    const MatrixFor<T> a = Symmetric(MakeMatrix<T>(x, i), uplo == "U");
    SY_RETURN_IF_ERROR(CheckFinite(a));
    MatrixFor<T> vectors;
    SetVector<T>(Eigenvalues(a, &vectors), i, out_w);
    SetMatrix<T>(vectors, i, out_v);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kEigvalshSpec =
    KernelSpec<S>().AllStrided().Output(S::kEigenvalues, AnyDtype());
template <typename T>
absl::Status EigvalshKernel(const ReferenceContext&, const DenseTensor& x,
                            std::string_view uplo, DenseTensor* eigenvalues) {
  for (int64_t i = 0; i < MatrixCount(x); ++i) {
    const MatrixFor<T> a = Symmetric(MakeMatrix<T>(x, i), uplo == "U");
    SY_RETURN_IF_ERROR(CheckFinite(a));
    MatrixFor<T> vectors;
    SetVector<T>(Eigenvalues(a, &vectors), i, eigenvalues);
  }
  return absl::OkStatus();
}

// A reflection 1 - factor v v^H, v of the rows from its number on.
template <typename N>
struct Reflection {
  std::vector<N> v;
  N factor = 0;
};

// Turns a into the upper triangle R and q, the identity before, into Q^H, by
// reflections of what is at and below each diagonal element, which it returns;
// one whose column is real at the diagonal and 0 below needs none.
template <typename N>
std::vector<Reflection<N>> Triangularize(MatrixOf<N>* a, MatrixOf<N>* q) {
  const int64_t m = a->rows();
  std::vector<Reflection<N>> made(std::min(m, a->columns()));
  for (int64_t p = 0; p < std::min(m, a->columns()); ++p) {
    double tail = 0;
    for (int64_t i = p + 1; i < m; ++i) tail += std::norm((*a)(i, p));
    const N alpha = (*a)(p, p);
    if (tail == 0 && std::imag(alpha) == 0) continue;
    const double size = std::sqrt(std::norm(alpha) + tail);
    const double beta = -std::copysign(size, std::real(alpha));
    std::vector<N> v(m);
    v[p] = alpha - beta;
    for (int64_t i = p + 1; i < m; ++i) v[i] = (*a)(i, p);
    // 1 - factor v v^H makes the column (beta, 0, ...).
    const N factor = N(-1) / (beta * v[p]);
    for (MatrixOf<N>* both : {a, q}) {
      for (int64_t j = 0; j < both->columns(); ++j) {
        N product = 0;
        for (int64_t i = p; i < m; ++i) {
          product += Conjugate(v[i]) * (*both)(i, j);
        }
        for (int64_t i = p; i < m; ++i) {
          (*both)(i, j) -= factor * product * v[i];
        }
      }
    }
    (*a)(p, p) = beta;
    for (int64_t i = p + 1; i < m; ++i) (*a)(i, p) = 0;
    made[p] = {v, factor};
  }
  return made;
}

template <typename S>
inline constexpr auto kQrSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status QrKernel(const ReferenceContext&, const DenseTensor& x,
                      std::string_view mode, DenseTensor* q, DenseTensor* r) {
  for (int64_t i = 0; i < MatrixCount(x); ++i) {
    MatrixFor<T> a = MakeMatrix<T>(x, i);
    const int64_t k =
        mode == "complete" ? a.rows() : std::min(a.rows(), a.columns());
    MatrixFor<T> turned = MatrixFor<T>::Identity(a.rows());
    Triangularize(&a, &turned);
    SetMatrix<T>(FirstColumns(a.Transposed(), k).Transposed(), i, r);
    if (mode != "r") {
      SetMatrix<T>(FirstColumns(turned.Adjoint(), k), i, q);
    }
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kGeqrfSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status GeqrfKernel(const ReferenceContext&, const DenseTensor& x,
                         DenseTensor* a, DenseTensor* tau) {
  for (int64_t i = 0; i < MatrixCount(x); ++i) {
    MatrixFor<T> r = MakeMatrix<T>(x, i);
    MatrixFor<T> turned = MatrixFor<T>::Identity(r.rows());
    const auto reflections = Triangularize(&r, &turned);
    const auto k = static_cast<int64_t>(reflections.size());
    for (int64_t p = 0; p < k; ++p) {
      const auto& [v, factor] = reflections[p];
      // The v of LAPACK begins with 1, and its product is Q, not Q^H.
      const double size = v.empty() ? 0 : std::norm(v[p]);
      tau->mutable_data<T>()[i * k + p] =
          static_cast<T>(Conjugate(factor * size));
      for (int64_t row = p + 1; row < r.rows() && !v.empty(); ++row) {
        r(row, p) = v[row] / v[p];
      }
    }
    SetMatrix<T>(r, i, a);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kLuSpec = KernelSpec<S>()
                                    .AllStrided()
                                    .Output(S::kPivots, Fixed(DataType::kInt32))
                                    .Output(S::kInfos, Fixed(DataType::kInt32));
template <typename T>
absl::Status LuKernel(const ReferenceContext&, const DenseTensor& x,
                      DenseTensor* out, DenseTensor* pivots,
                      DenseTensor* infos) {
  for (int64_t number = 0; number < MatrixCount(x); ++number) {
    MatrixFor<T> a = MakeMatrix<T>(x, number);
    const int64_t k = std::min(a.rows(), a.columns());
    int32_t info = 0;
    for (int64_t p = 0; p < k; ++p) {
      int64_t best = p;
      for (int64_t i = p + 1; i < a.rows(); ++i) {
        if (std::abs(a(i, p)) > std::abs(a(best, p))) best = i;
      }
      pivots->mutable_data<int32_t>()[number * k + p] =
          static_cast<int32_t>(best + 1);
      a.SwapRows(p, best);
      if (std::abs(a(p, p)) == 0) {
        if (info == 0) info = static_cast<int32_t>(p + 1);
        continue;
      }
      for (int64_t i = p + 1; i < a.rows(); ++i) {
        a(i, p) /= a(p, p);
        for (int64_t j = p + 1; j < a.columns(); ++j) {
          a(i, j) -= a(i, p) * a(p, j);
        }
      }
    }
    SetMatrix<T>(a, number, out);
    infos->mutable_data<int32_t>()[number] = info;
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kMatrixRankSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, Fixed(DataType::kInt64));
template <typename T>
absl::Status MatrixRankKernel(const ReferenceContext&, const DenseTensor& x,
                              const DenseTensor* tol_tensor, double tol,
                              bool hermitian, bool use_default_tol,
                              DenseTensor* out) {
  for (int64_t i = 0; i < out->numel(); ++i) {
    const Matrix a =
        BroadcastMatrix<T>(x, 2, out->shape(), Unravel(out->shape(), i));
    Matrix vectors;
    SY_RETURN_IF_ERROR(CheckFinite(a));
    const std::vector<double> values =
        hermitian ? Eigenvalues(Symmetric(a, /*upper=*/false), &vectors)
                  : Svd(a).s;
    double largest = 0;
    for (const double v : values) largest = std::max(largest, std::fabs(v));
    double limit = use_default_tol ? 0 : tol;
    if (tol_tensor != nullptr) {
      limit = static_cast<double>(BroadcastAt<T>(*tol_tensor, out->shape(), i));
    }
    if (use_default_tol) {
      const double extent =
          static_cast<double>(std::max(a.rows(), a.columns()));
      limit = std::max(
          limit, largest * extent *
                     static_cast<double>(std::numeric_limits<T>::epsilon()));
    }
    int64_t rank = 0;
    for (const double v : values) rank += std::fabs(v) > limit ? 1 : 0;
    out->mutable_data<int64_t>()[i] = rank;
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_DECOMPOSITION_DECOMPOSITION_H_
