// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of var_conv_2d and its gradient on the CPU.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/var_conv_2d.gen.h"
#include "phi/core/signatures/var_conv_2d_grad.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/fluid/sequence/matrices.h"
#include "phi/fluid/sequence/offsets.h"
#include "phi/legacy/var_conv_2d.gen.h"
#include "phi/legacy/var_conv_2d_grad.gen.h"

namespace switchyard::phi {
namespace fluid {
namespace {

// A convolution of images of extents of their own, each padded by half the
// kernel, and where the images of X, of the result and of Col begin.
struct VariableConv {
  int input_channels = 0, output_channels = 0;
  int kernel_h = 0, kernel_w = 0, stride_h = 0, stride_w = 0;
  std::vector<Extents> from, to;
  Offsets images, results, columns;

  // The elements of a window: the width of W.
  int64_t window() const {
    return int64_t{input_channels} * kernel_h * kernel_w;
  }
};

// The places of a window along an axis.
int64_t Places(int64_t extent, int stride) {
  return extent == 0 ? 0 : (extent - 1) / stride + 1;
}

absl::StatusOr<VariableConv> ReadConv(const ExecutionContext& context) {
  VariableConv conv;
  const auto read = [&](const char* name, int* number) -> absl::Status {
    SY_ASSIGN_OR_RETURN(*number, context.Attr<int>(name));
    return absl::OkStatus();
  };
  SY_RETURN_IF_ERROR(read("InputChannel", &conv.input_channels));
  SY_RETURN_IF_ERROR(read("OutputChannel", &conv.output_channels));
  SY_RETURN_IF_ERROR(read("KernelH", &conv.kernel_h));
  SY_RETURN_IF_ERROR(read("KernelW", &conv.kernel_w));
  SY_RETURN_IF_ERROR(read("StrideH", &conv.stride_h));
  SY_RETURN_IF_ERROR(read("StrideW", &conv.stride_w));
  SY_ASSIGN_OR_RETURN(conv.from, ReadExtents(context, "ROW", "COLUMN"));
  for (const Extents& one : conv.from) {
    conv.to.push_back(
        {Places(one.height, conv.stride_h), Places(one.width, conv.stride_w)});
  }
  SY_ASSIGN_OR_RETURN(conv.images,
                      MatrixOffsets(conv.from, conv.input_channels));
  SY_ASSIGN_OR_RETURN(conv.results,
                      MatrixOffsets(conv.to, conv.output_channels));
  SY_ASSIGN_OR_RETURN(conv.columns, MatrixOffsets(conv.to, conv.window()));
  SY_RETURN_IF_ERROR(CheckMatrices(context, "X", conv.images));
  return conv;
}

// Calls visit(k, source) for element k of image i's columns [window, places]:
// the element of X that it is, -1 where it is padding.
template <typename Visit>
void VisitColumns(const VariableConv& conv, size_t i, const Visit& visit) {
  const Extents &from = conv.from[i], &to = conv.to[i];
  int64_t k = 0;
  for (int64_t row = 0; row < conv.window(); ++row) {
    const int64_t channel = row / (conv.kernel_h * conv.kernel_w);
    const int64_t down = row / conv.kernel_w % conv.kernel_h;
    const int64_t along = row % conv.kernel_w;
    for (int64_t p = 0; p < to.height; ++p) {
      const int64_t y = p * conv.stride_h + down - conv.kernel_h / 2;
      for (int64_t q = 0; q < to.width; ++q) {
        const int64_t x = q * conv.stride_w + along - conv.kernel_w / 2;
        const bool inside =
            y >= 0 && y < from.height && x >= 0 && x < from.width;
        visit(k++, !inside ? -1
                           : conv.images[i] +
                                 (channel * from.height + y) * from.width + x);
      }
    }
  }
}

// The columns of image i, [window, places].
template <typename T>
std::vector<T> ColumnsOf(const VariableConv& conv, size_t i, const T* x) {
  std::vector<T> columns(conv.columns[i + 1] - conv.columns[i]);
  VisitColumns(conv, i, [&](int64_t k, int64_t source) {
    columns[k] = source < 0 ? T{0} : x[source];
  });
  return columns;
}

}  // namespace

// Out: W [output channels, window] times the columns of each image, and these,
// Col, one element a row, with an image in each sequence.
template <typename T>
class VarConv2dCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    SY_ASSIGN_OR_RETURN(VariableConv conv, ReadConv(context));
    SY_RETURN_IF_ERROR(
        context.Allocate("Out", x.dtype(), Shape({conv.results.back(), 1})));
    SY_RETURN_IF_ERROR(
        context.Allocate("Col", x.dtype(), Shape({conv.columns.back(), 1})));
    const T* w = context.Input("W")->template data<T>();
    DenseTensor* col = context.Output("Col");
    T* kept = col == nullptr ? nullptr : col->template mutable_data<T>();
    T* out = context.Output("Out")->template mutable_data<T>();
    for (size_t i = 0; i < conv.from.size(); ++i) {
      const std::vector<T> columns = ColumnsOf(conv, i, x.data<T>());
      if (kept != nullptr) {
        kept = std::copy(columns.begin(), columns.end(), kept);
      }
      const int64_t places = conv.to[i].height * conv.to[i].width;
      std::vector<double> sums(places);
      for (int64_t channel = 0; channel < conv.output_channels; ++channel) {
        std::fill(sums.begin(), sums.end(), 0.0);
        for (int64_t row = 0; row < conv.window(); ++row) {
          const double weight = w[channel * conv.window() + row];
          for (int64_t p = 0; p < places; ++p) {
            sums[p] += weight * columns[row * places + p];
          }
        }
        out = std::transform(sums.begin(), sums.end(), out,
                             [](double sum) { return static_cast<T>(sum); });
      }
    }
    context.SetLod("Out", LoD{{std::move(conv.results)}});
    context.SetLod("Col", LoD{{std::move(conv.columns)}});
    return absl::OkStatus();
  }
};

template <typename T>
class VarConv2dGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const VariableConv conv, ReadConv(context));
    const DenseTensor& out_grad = *context.Input("Out@GRAD");
    SY_RETURN_IF_ERROR(CheckRows(out_grad, conv.results.back()));
    const DenseTensor& x = *context.Input("X");
    const DenseTensor& w = *context.Input("W");
    std::vector<double> x_grad(x.numel(), 0.0), w_grad(w.numel(), 0.0);
    for (size_t i = 0; i < conv.from.size(); ++i) {
      AddImage(conv, i, x.data<T>(), w.data<T>(),
               out_grad.data<T>() + conv.results[i], &x_grad, &w_grad);
    }
    Store(x_grad, context.Output("X@GRAD"));
    Store(w_grad, context.Output("W@GRAD"));
    return absl::OkStatus();
  }

 private:
  static void AddImage(const VariableConv& conv, size_t i, const T* x,
                       const T* w, const T* slopes, std::vector<double>* x_grad,
                       std::vector<double>* w_grad) {
    const int64_t places = conv.to[i].height * conv.to[i].width;
    const std::vector<T> columns = ColumnsOf(conv, i, x);
    std::vector<double> column_grad(columns.size(), 0.0);
    for (int64_t channel = 0; channel < conv.output_channels; ++channel) {
      for (int64_t row = 0; row < conv.window(); ++row) {
        const double weight = w[channel * conv.window() + row];
        double sum = 0;
        for (int64_t p = 0; p < places; ++p) {
          const double slope = slopes[channel * places + p];
          column_grad[row * places + p] += weight * slope;
          sum += slope * columns[row * places + p];
        }
        (*w_grad)[channel * conv.window() + row] += sum;
      }
    }
    VisitColumns(conv, i, [&](int64_t k, int64_t source) {
      if (source >= 0) (*x_grad)[source] += column_grad[k];
    });
  }

  static void Store(const std::vector<double>& from, DenseTensor* to) {
    if (to == nullptr) return;
    std::transform(from.begin(), from.end(), to->template mutable_data<T>(),
                   [](double value) { return static_cast<T>(value); });
  }
};

}  // namespace fluid

constexpr auto kVarConv2dSpec =
    KernelSpec<VarConv2dSignature>()
        .Input(VarConv2dSignature::kRow, AnyDtype())
        .Input(VarConv2dSignature::kColumn, AnyDtype())
        .Output(VarConv2dSignature::kOut, SelfAllocated(ArgDef()))
        .Output(VarConv2dSignature::kCol, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(var_conv_2d, cpu, fluid::VarConv2dCpuKernel,
                         legacy_var_conv_2d, kVarConv2dSpec, float32, float64);

constexpr auto kVarConv2dGradSpec =
    KernelSpec<VarConv2dGradSignature>()
        .Input(VarConv2dGradSignature::kRow, AnyDtype())
        .Input(VarConv2dGradSignature::kColumn, AnyDtype());
SY_REGISTER_FLUID_KERNEL(var_conv_2d_grad, cpu, fluid::VarConv2dGradCpuKernel,
                         legacy_var_conv_2d_grad, kVarConv2dGradSpec, float32,
                         float64);

}  // namespace switchyard::phi
