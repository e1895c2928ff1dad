// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of matrix products on the CPU: matmul_v2, mul and
// its gradient. A sum of products is of doubles, in their order.
#include <algorithm>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/types/float16.h"
#include "phi/core/signatures/matmul.gen.h"
#include "phi/core/signatures/mul.gen.h"
#include "phi/core/signatures/mul_grad.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/matmul.gen.h"
#include "phi/legacy/mul.gen.h"
#include "phi/legacy/mul_grad.gen.h"

namespace switchyard::phi {
namespace fluid {

// A matrix in memory: element (i, j) is data[i * row + j * column].
template <typename T>
struct MatrixView {
  const T* data;
  int64_t row, column;

  MatrixView Transposed() const { return {data, column, row}; }
};

// out[m, n] = a[m, k] b[k, n], rows of `out` one after another.
template <typename T>
void Multiply(const MatrixView<T>& a, const MatrixView<T>& b, int64_t m,
              int64_t k, int64_t n, T* out) {
  const int64_t grain = 1 + 16384 / std::max<int64_t>(1, n * k);
  ParallelFor(0, m, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t p = 0; p < k; ++p) {
          sum += double{a.data[i * a.row + p * a.column]} *
                 double{b.data[p * b.row + j * b.column]};
        }
        out[i * n + j] = static_cast<T>(sum);
      }
    }
  });
}

// The matrices of a tensor's last two axes; a vector is one, a row or a column.
template <typename T>
class Matrices {
 public:
  Matrices(const DenseTensor& x, bool transposed, bool vector_is_row)
      : x_(x), shape_(x.shape()) {
    if (shape_.rank() == 1) {
      const int64_t length = shape_.extent(0);
      shape_ = vector_is_row ? Shape({1, length}) : Shape({length, 1});
      transposed = false;
    }
    transposed_ = transposed;
  }
  int64_t rows() const { return extent(transposed_ ? 1 : 2); }
  int64_t columns() const { return extent(transposed_ ? 2 : 1); }
  int batch_rank() const { return shape_.rank() - 2; }
  int64_t batch_extent(int axis) const { return shape_.extent(axis); }

  MatrixView<T> at(int64_t batch) const {
    const int64_t width = extent(1);
    const MatrixView<T> view = {x_.data<T>() + batch * extent(2) * width, width,
                                1};
    return transposed_ ? view.Transposed() : view;
  }
  // Which matrix is repeated at number `batch` of a result, whose axes before
  // the last two are `extents`.
  int64_t Source(int64_t batch, absl::Span<const int64_t> extents) const {
    int64_t source = 0, stride = 1;
    for (int i = static_cast<int>(extents.size()) - 1; i >= 0; --i) {
      const int own = i - static_cast<int>(extents.size()) + batch_rank();
      if (own < 0) break;
      if (batch_extent(own) != 1) source += batch % extents[i] * stride;
      stride *= batch_extent(own);
      batch /= extents[i];
    }
    return source;
  }

 private:
  int64_t extent(int from_end) const {
    return shape_.extent(shape_.rank() - from_end);
  }

  const DenseTensor& x_;
  Shape shape_;
  bool transposed_;
};

// Out = X Y of the last two axes, the others repeated.
template <typename T>
class MatmulV2Kernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const bool trans_x, context.Attr<bool>("trans_x"));
    SY_ASSIGN_OR_RETURN(const bool trans_y, context.Attr<bool>("trans_y"));
    const Matrices<T> x(*context.Input("X"), trans_x, /*vector_is_row=*/true);
    const Matrices<T> y(*context.Input("Y"), trans_y, /*vector_is_row=*/false);
    DenseTensor* out = context.Output("Out");
    if (out->numel() == 0) return absl::OkStatus();
    std::vector<int64_t> extents;
    for (int i = 0; i < std::max(x.batch_rank(), y.batch_rank()); ++i) {
      extents.push_back(out->extent(i));
    }
    const int64_t size = x.rows() * y.columns();
    T* to = out->template mutable_data<T>();
    for (int64_t i = 0; i < out->numel() / size; ++i) {
      Multiply<T>(x.at(x.Source(i, extents)), y.at(y.Source(i, extents)),
                  x.rows(), x.columns(), y.columns(), to + i * size);
    }
    return absl::OkStatus();
  }
};

// A tensor as a matrix whose rows are the first `dims` axes.
template <typename T>
struct Flattened {
  int64_t rows, columns;
  MatrixView<T> view;

  Flattened(const DenseTensor& x, int dims)
      : rows(x.shape().numel(0, dims)),
        columns(x.shape().numel(dims, x.rank())),
        view{x.data<T>(), columns, 1} {}
};

// Out = X Y, both flattened to matrices.
template <typename T>
class MulKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const int x_dims, context.Attr<int>("x_num_col_dims"));
    SY_ASSIGN_OR_RETURN(const int y_dims, context.Attr<int>("y_num_col_dims"));
    const Flattened<T> x(*context.Input("X"), x_dims);
    const Flattened<T> y(*context.Input("Y"), y_dims);
    Multiply<T>(x.view, y.view, x.rows, x.columns, y.columns,
                context.Output("Out")->template mutable_data<T>());
    return absl::OkStatus();
  }
};

// X@GRAD = Out@GRAD Y^T and Y@GRAD = X^T Out@GRAD.
template <typename T>
class MulGradKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const int x_dims, context.Attr<int>("x_num_col_dims"));
    SY_ASSIGN_OR_RETURN(const int y_dims, context.Attr<int>("y_num_col_dims"));
    const Flattened<T> x(*context.Input("X"), x_dims);
    const Flattened<T> y(*context.Input("Y"), y_dims);
    const MatrixView<T> grad = {context.Input("Out@GRAD")->data<T>(), y.columns,
                                1};
    DenseTensor* x_grad = context.Output("X@GRAD");
    DenseTensor* y_grad = context.Output("Y@GRAD");
    if (x_grad != nullptr) {
      Multiply<T>(grad, y.view.Transposed(), x.rows, y.columns, x.columns,
                  x_grad->template mutable_data<T>());
    }
    if (y_grad != nullptr) {
      Multiply<T>(x.view.Transposed(), grad, x.columns, x.rows, y.columns,
                  y_grad->template mutable_data<T>());
    }
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kMatmulSpec = KernelSpec<MatmulSignature>();
SY_REGISTER_FLUID_KERNEL(matmul, cpu, fluid::MatmulV2Kernel, legacy_matmul_v2,
                         kMatmulSpec, float16, bfloat16, float32, float64);
constexpr auto kMulSpec = KernelSpec<MulSignature>();
SY_REGISTER_FLUID_KERNEL(mul, cpu, fluid::MulKernel, legacy_mul, kMulSpec,
                         float16, bfloat16, float32, float64);
constexpr auto kMulGradSpec = KernelSpec<MulGradSignature>();
SY_REGISTER_FLUID_KERNEL(mul_grad, cpu, fluid::MulGradKernel, legacy_mul_grad,
                         kMulGradSpec, float16, bfloat16, float32, float64);

}  // namespace switchyard::phi
