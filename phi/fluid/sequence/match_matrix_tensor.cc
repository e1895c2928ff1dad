// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of match_matrix_tensor and its gradient on the CPU.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/match_matrix_tensor.gen.h"
#include "phi/core/signatures/match_matrix_tensor_grad.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/fluid/sequence/matrices.h"
#include "phi/fluid/sequence/offsets.h"
#include "phi/legacy/match_matrix_tensor.gen.h"
#include "phi/legacy/match_matrix_tensor_grad.gen.h"

namespace switchyard::phi {
namespace fluid {
namespace {

// The elements of a tensor as double, in which all is summed.
template <typename T>
std::vector<double> Wide(const DenseTensor& x) {
  return std::vector<double>(x.data<T>(), x.data<T>() + x.numel());
}

template <typename T>
void Narrow(const std::vector<double>& from, DenseTensor* to) {
  if (to == nullptr) return;
  std::transform(from.begin(), from.end(), to->mutable_data<T>(),
                 [](double value) { return static_cast<T>(value); });
}

// x [rows, inner] * w [inner, forms * width].
std::vector<double> Turned(const std::vector<double>& x,
                           const std::vector<double>& w, int64_t rows,
                           int64_t inner, int64_t columns) {
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
// X, row j of Y and bilinear form t.
template <typename Visit>
void VisitMatrices(const std::vector<Extents>& extents, int64_t forms,
                   const Visit& visit) {
  int64_t k = 0, x = 0, y = 0;
  for (const Extents& one : extents) {
    for (int64_t t = 0; t < forms; ++t) {
      for (int64_t i = 0; i < one.height; ++i) {
        for (int64_t j = 0; j < one.width; ++j) visit(k++, x + i, y + j, t);
      }
    }
    x += one.height;
    y += one.width;
  }
}

}  // namespace

// Out: of each pair of sequences of X and Y the matrices x_i W_t y_j [height,
// width], one for each t, as the rows of Out. Tmp: x_i W_t of all rows.
template <typename T>
class MatchMatrixTensorCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    const DenseTensor& w = *context.Input("W");
    SY_ASSIGN_OR_RETURN(const std::vector<Extents> extents,
                        ReadExtents(context, "X", "Y"));
    const int64_t forms = w.extent(1), width = w.extent(2);
    SY_ASSIGN_OR_RETURN(Offsets offsets, MatrixOffsets(extents, forms));
    SY_RETURN_IF_ERROR(
        context.Allocate("Out", x.dtype(), Shape({offsets.back(), 1})));
    const std::vector<double> y = Wide<T>(*context.Input("Y"));
    const std::vector<double> turned =
        Turned(Wide<T>(x), Wide<T>(w), x.extent(0), x.extent(1), forms * width);
    Narrow<T>(turned, context.Output("Tmp"));
    T* out = context.Output("Out")->template mutable_data<T>();
    VisitMatrices(
        extents, forms, [&](int64_t k, int64_t i, int64_t j, int64_t t) {
          const double* left = turned.data() + (i * forms + t) * width;
          const double* right = y.data() + j * width;
          double sum = 0;
          for (int64_t h = 0; h < width; ++h) {
            sum += left[h] * right[h];
          }
          out[k] = static_cast<T>(sum);
        });
    context.SetLod("Out", LoD{{std::move(offsets)}});
    return absl::OkStatus();
  }
};

template <typename T>
class MatchMatrixTensorGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& w = *context.Input("W");
    SY_ASSIGN_OR_RETURN(const std::vector<Extents> extents,
                        ReadExtents(context, "X", "Y"));
    const int64_t forms = w.extent(1), width = w.extent(2);
    SY_ASSIGN_OR_RETURN(const Offsets offsets, MatrixOffsets(extents, forms));
    SY_RETURN_IF_ERROR(CheckRows(*context.Input("Out@GRAD"), offsets.back()));
    AddUp(context, extents, forms, width);
    return absl::OkStatus();
  }

 private:
  static void AddUp(const ExecutionContext& context,
                    const std::vector<Extents>& extents, int64_t forms,
                    int64_t width) {
    const DenseTensor& given = *context.Input("X");
    const int64_t rows = given.extent(0), inner = given.extent(1);
    const int64_t columns = forms * width;
    const T* out_grad = context.Input("Out@GRAD")->template data<T>();
    const std::vector<double> x = Wide<T>(given);
    const std::vector<double> y = Wide<T>(*context.Input("Y"));
    const std::vector<double> w = Wide<T>(*context.Input("W"));
    const std::vector<double> turned = Turned(x, w, rows, inner, columns);
    std::vector<double> turned_grad(turned.size(), 0.0), y_grad(y.size(), 0.0);
    VisitMatrices(extents, forms,
                  [&](int64_t k, int64_t i, int64_t j, int64_t t) {
                    const int64_t left = (i * forms + t) * width;
                    const double slope = static_cast<double>(out_grad[k]);
                    for (int64_t h = 0; h < width; ++h) {
                      turned_grad[left + h] += slope * y[j * width + h];
                      y_grad[j * width + h] += slope * turned[left + h];
                    }
                  });
    std::vector<double> x_grad(x.size(), 0.0), w_grad(w.size(), 0.0);
    for (int64_t i = 0; i < rows; ++i) {
      const double* slopes = turned_grad.data() + i * columns;
      for (int64_t h = 0; h < inner; ++h) {
        double sum = 0;
        for (int64_t k = 0; k < columns; ++k) {
          sum += slopes[k] * w[h * columns + k];
          w_grad[h * columns + k] += slopes[k] * x[i * inner + h];
        }
        x_grad[i * inner + h] = sum;
      }
    }
    Narrow<T>(x_grad, context.Output("X@GRAD"));
    Narrow<T>(y_grad, context.Output("Y@GRAD"));
    Narrow<T>(w_grad, context.Output("W@GRAD"));
  }
};

}  // namespace fluid

constexpr auto kMatchMatrixTensorSpec =
    KernelSpec<MatchMatrixTensorSignature>().Output(
        MatchMatrixTensorSignature::kOut, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(match_matrix_tensor, cpu,
                         fluid::MatchMatrixTensorCpuKernel,
                         legacy_match_matrix_tensor, kMatchMatrixTensorSpec,
                         float32, float64);

constexpr auto kMatchMatrixTensorGradSpec =
    KernelSpec<MatchMatrixTensorGradSignature>();
SY_REGISTER_FLUID_KERNEL(match_matrix_tensor_grad, cpu,
                         fluid::MatchMatrixTensorGradCpuKernel,
                         legacy_match_matrix_tensor_grad,
                         kMatchMatrixTensorGradSpec, float32, float64);

}  // namespace switchyard::phi
