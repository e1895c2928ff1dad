// SPDX-License-Identifier: Apache-2.0
// Matrices of double or complex numbers for the reference kernels of linear
// algebra: plain loops.
// How they find elements of tensors is in elements.h.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_LINEAR_SOLVE_MATRIX_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_LINEAR_SOLVE_MATRIX_H_

#include <complex>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "framework/tensor/dense_tensor.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// The conjugate of a number, which a real one is itself.
template <typename N>
N Conjugate(N v) {
  if constexpr (kIsComplex<N>) return std::conj(v);
  return v;
}

// A matrix of doubles, or complex numbers of them, with rows one after the
// other; owns its elements. Plain loops, which oracles can be trusted for.
template <typename N>
class MatrixOf {
 public:
  using Number = N;
  MatrixOf() = default;
  // Makes a matrix of zeros.
  MatrixOf(int64_t rows, int64_t columns)
      : rows_(rows), columns_(columns), elements_(rows * columns) {}
  static MatrixOf Identity(int64_t n) {
    MatrixOf identity(n, n);
    for (int64_t i = 0; i < n; ++i) identity(i, i) = 1;
    return identity;
  }

  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  N& operator()(int64_t i, int64_t j) { return elements_[i * columns_ + j]; }
  N operator()(int64_t i, int64_t j) const {
    return elements_[i * columns_ + j];
  }

  MatrixOf Transposed() const {
    MatrixOf t(columns_, rows_);
    for (int64_t i = 0; i < rows_; ++i) {
      for (int64_t j = 0; j < columns_; ++j) t(j, i) = (*this)(i, j);
    }
    return t;
  }
  // The transposed matrix of conjugates.
  MatrixOf Adjoint() const {
    MatrixOf t = Transposed();
    for (N& v : t.elements_) v = Conjugate(v);
    return t;
  }
  MatrixOf Times(const MatrixOf& y) const {
    MatrixOf product(rows_, y.columns_);
    for (int64_t i = 0; i < rows_; ++i) {
      for (int64_t j = 0; j < y.columns_; ++j) {
        for (int64_t p = 0; p < columns_; ++p) {
          product(i, j) += (*this)(i, p) * y(p, j);
        }
      }
    }
    return product;
  }

  void SwapRows(int64_t i, int64_t j) {
    for (int64_t c = 0; c < columns_; ++c) {
      std::swap((*this)(i, c), (*this)(j, c));
    }
  }
  // Row i += factor * row j.
  void AddRow(int64_t i, N factor, int64_t j) {
    for (int64_t c = 0; c < columns_; ++c) {
      (*this)(i, c) += factor * (*this)(j, c);
    }
  }
  void ScaleRow(int64_t i, N factor) {
    for (int64_t c = 0; c < columns_; ++c) (*this)(i, c) *= factor;
  }

 private:
  int64_t rows_ = 0;
  int64_t columns_ = 0;
  std::vector<N> elements_;
};

using Matrix = MatrixOf<double>;
using ComplexMatrix = MatrixOf<std::complex<double>>;

// The matrices that elements of type T make.
template <typename T>
using MatrixFor =
    MatrixOf<std::conditional_t<kIsComplex<T>, std::complex<double>, double>>;

// How many matrices x [..., rows, columns] has.
inline int64_t MatrixCount(const DenseTensor& x) {
  return x.shape().numel(0, x.rank() - 2);
}

// Matrix number i of x.
template <typename T>
MatrixFor<T> MakeMatrix(const DenseTensor& x, int64_t i) {
  MatrixFor<T> matrix(x.extent(x.rank() - 2), x.extent(x.rank() - 1));
  const int64_t size = matrix.rows() * matrix.columns();
  for (int64_t e = 0; e < size; ++e) {
    matrix(e / matrix.columns(), e % matrix.columns()) =
        static_cast<typename MatrixFor<T>::Number>(At<T>(x, i * size + e));
  }
  return matrix;
}

// The matrix of x that broadcasting puts at the index `at` of a stack `batch`;
// x's last `own_axes` axes are a matrix (2) or its only column (1).
template <typename T>
MatrixFor<T> BroadcastMatrix(const DenseTensor& x, int own_axes,
                             const Shape& batch, const Index& at) {
  const int lead = x.rank() - own_axes;
  MatrixFor<T> matrix(x.extent(lead), own_axes == 1 ? 1 : x.extent(lead + 1));
  Index index = {};
  for (int axis = 0; axis < lead; ++axis) {
    index[axis] = x.extent(axis) == 1 ? 0 : at[batch.rank() - lead + axis];
  }
  for (int64_t i = 0; i < matrix.rows(); ++i) {
    for (int64_t j = 0; j < matrix.columns(); ++j) {
      index[lead] = i;
      if (own_axes == 2) index[lead + 1] = j;
      matrix(i, j) =
          static_cast<typename MatrixFor<T>::Number>(At<T>(x, index));
    }
  }
  return matrix;
}

// Sets matrix number i of out, which is contiguous.
template <typename T>
void SetMatrix(const MatrixFor<T>& matrix, int64_t i, DenseTensor* out) {
  const int64_t size = matrix.rows() * matrix.columns();
  for (int64_t e = 0; e < size; ++e) {
    out->mutable_data<T>()[i * size + e] =
        static_cast<T>(matrix(e / matrix.columns(), e % matrix.columns()));
  }
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_LINEAR_SOLVE_MATRIX_H_
