// SPDX-License-Identifier: Apache-2.0
// match_matrix_tensor and its gradient on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_TEXT_MATCHING_MATCH_MATRIX_TENSOR_H_
#define SWITCHYARD_PHI_KERNELS_CPU_TEXT_MATCHING_MATCH_MATRIX_TENSOR_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/sequence/offsets.h"
#include "phi/kernels/cpu/sequence/results.h"
#include "phi/kernels/cpu/text_matching/matrices.h"

namespace switchyard::phi::kernels::cpu {

// The elements of a tensor as double, in which all is summed.
template <typename T>
std::vector<double> Doubles(const DenseTensor& x) {
  return std::vector<double>(x.data<T>(), x.data<T>() + x.numel());
}

// x [rows, inner] * w [inner, forms * width].
inline std::vector<double> RowsTimesForms(const std::vector<double>& x,
                                          const std::vector<double>& w,
                                          int64_t rows, int64_t inner,
                                          int64_t columns) {
  std::vector<double> turned(rows * columns, 0.0);
  for (int64_t i = 0; i < rows; ++i) {
    double* to = turned.data() + i * columns;
    for (int64_t h = 0; h < inner; ++h) {
      const double factor = x[i * inner + h];
      const double* from = w.data() + h * columns;
      for (int64_t k = 0; k < columns; ++k) to[k] += factor * from[k];
    }
  }
  return turned;
}

// Calls visit(k, i, j, t) for element k of all matrices, which is of row i of
// x, row j of y and bilinear form t.
template <typename Visit>
void VisitMatrices(const std::vector<MatrixExtents>& extents, int64_t forms,
                   const Visit& visit) {
  int64_t k = 0, x = 0, y = 0;
  for (const MatrixExtents& one : extents) {
    for (int64_t t = 0; t < forms; ++t) {
      for (int64_t i = 0; i < one.height; ++i) {
        for (int64_t j = 0; j < one.width; ++j) visit(k++, x + i, y + j, t);
      }
    }
    x += one.height;
    y += one.width;
  }
}

template <typename S>
inline constexpr auto kMatchMatrixTensorSpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(ArgDef()));
// out: of each pair of sequences of x and y the matrices x_i W_t y_j [height,
// width], one for each t, as the rows of out. tmp: x_i W_t of all rows.
template <typename T>
absl::Status MatchMatrixTensorKernel(const CpuContext& context,
                                     const DenseTensor& x, const DenseTensor& y,
                                     const DenseTensor& w, int,
                                     DenseTensor* out, DenseTensor* tmp) {
  SY_ASSIGN_OR_RETURN(const std::vector<MatrixExtents> extents,
                      ReadExtents("x", x, "y", y));
  const int64_t forms = w.extent(1), width = w.extent(2);
  SY_ASSIGN_OR_RETURN(Offsets offsets, MatrixOffsets(extents, forms));
  SY_RETURN_IF_ERROR(
      AllocateAnew(context, x.dtype(), Shape({offsets.back(), 1}), out));
  const std::vector<double> columns = Doubles<T>(y);
  const std::vector<double> turned = RowsTimesForms(
      Doubles<T>(x), Doubles<T>(w), x.extent(0), x.extent(1), forms * width);
  StoreSums<T>(turned, tmp);
  T* to = out->mutable_data<T>();
  VisitMatrices(extents, forms,
                [&](int64_t k, int64_t i, int64_t j, int64_t t) {
                  const double* left = turned.data() + (i * forms + t) * width;
                  const double* right = columns.data() + j * width;
                  double sum = 0;
                  for (int64_t h = 0; h < width; ++h) {
                    sum += left[h] * right[h];
                  }
                  to[k] = static_cast<T>(sum);
                });
  SetLod(LoD{{std::move(offsets)}}, out);
  return absl::OkStatus();
}

// The gradients of x, y and w, summed in double.
template <typename T>
class MatchMatrixTensorGrad {
 public:
  static absl::Status Run(const DenseTensor& x, const DenseTensor& y,
                          const DenseTensor& w, const DenseTensor& out_grad,
                          DenseTensor* x_grad, DenseTensor* y_grad,
                          DenseTensor* w_grad) {
    SY_ASSIGN_OR_RETURN(const std::vector<MatrixExtents> extents,
                        ReadExtents("x", x, "y", y));
    const int64_t forms = w.extent(1), width = w.extent(2);
    SY_ASSIGN_OR_RETURN(const Offsets offsets, MatrixOffsets(extents, forms));
    SY_RETURN_IF_ERROR(CheckGradientRows(out_grad, offsets.back()));
    AddUp(x, y, w, out_grad, x_grad, y_grad, w_grad, extents, forms, width);
    return absl::OkStatus();
  }

 private:
  static void AddUp(const DenseTensor& x, const DenseTensor& y,
                    const DenseTensor& w, const DenseTensor& out_grad,
                    DenseTensor* x_grad, DenseTensor* y_grad,
                    DenseTensor* w_grad,
                    const std::vector<MatrixExtents>& extents, int64_t forms,
                    int64_t width) {
    const int64_t rows = x.extent(0), inner = x.extent(1);
    const int64_t columns = forms * width;
    const T* out_slopes = out_grad.data<T>();
    const std::vector<double> left_rows = Doubles<T>(x);
    const std::vector<double> right_rows = Doubles<T>(y);
    const std::vector<double> weights = Doubles<T>(w);
    const std::vector<double> turned =
        RowsTimesForms(left_rows, weights, rows, inner, columns);
    std::vector<double> turned_grad(turned.size(), 0.0);
    std::vector<double> y_sums(right_rows.size(), 0.0);
    VisitMatrices(
        extents, forms, [&](int64_t k, int64_t i, int64_t j, int64_t t) {
          const int64_t left = (i * forms + t) * width;
          const double slope = static_cast<double>(out_slopes[k]);
          for (int64_t h = 0; h < width; ++h) {
            turned_grad[left + h] += slope * right_rows[j * width + h];
            y_sums[j * width + h] += slope * turned[left + h];
          }
        });
    std::vector<double> x_sums(left_rows.size(), 0.0),
        w_sums(weights.size(), 0.0);
    for (int64_t i = 0; i < rows; ++i) {
      const double* slopes = turned_grad.data() + i * columns;
      for (int64_t h = 0; h < inner; ++h) {
        double sum = 0;
        for (int64_t k = 0; k < columns; ++k) {
          sum += slopes[k] * weights[h * columns + k];
          w_sums[h * columns + k] += slopes[k] * left_rows[i * inner + h];
        }
        x_sums[i * inner + h] = sum;
      }
    }
    StoreSums<T>(x_sums, x_grad);
    StoreSums<T>(y_sums, y_grad);
    StoreSums<T>(w_sums, w_grad);
  }
};

template <typename S>
inline constexpr auto kMatchMatrixTensorGradSpec = KernelSpec<S>();
template <typename T>
absl::Status MatchMatrixTensorGradKernel(
    const CpuContext&, const DenseTensor& x, const DenseTensor& y,
    const DenseTensor& w, const DenseTensor& out_grad, int, DenseTensor* x_grad,
    DenseTensor* y_grad, DenseTensor* w_grad) {
  return MatchMatrixTensorGrad<T>::Run(x, y, w, out_grad, x_grad, y_grad,
                                       w_grad);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_TEXT_MATCHING_MATCH_MATRIX_TENSOR_H_
