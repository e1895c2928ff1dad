// SPDX-License-Identifier: Apache-2.0
// var_conv_2d and its gradient on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_TEXT_MATCHING_VAR_CONV_2D_H_
#define SWITCHYARD_PHI_KERNELS_CPU_TEXT_MATCHING_VAR_CONV_2D_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/var_conv_2d.args.gen.h"
#include "phi/core/signatures/var_conv_2d_grad.args.gen.h"
#include "phi/kernels/cpu/sequence/offsets.h"
#include "phi/kernels/cpu/sequence/results.h"
#include "phi/kernels/cpu/text_matching/matrices.h"

namespace switchyard::phi::kernels::cpu {

// A convolution of images of extents of their own, each padded by half the
// kernel, and where the images of x, of the result and of col begin.
struct VariableConv {
  int input_channels = 0, output_channels = 0;
  int kernel_h = 0, kernel_w = 0, stride_h = 0, stride_w = 0;
  std::vector<MatrixExtents> from, to;
  Offsets images, results, columns;

  // The elements of a window: the width of w.
  int64_t window() const {
    return int64_t{input_channels} * kernel_h * kernel_w;
  }
};

// The places of a window along an axis.
inline int64_t WindowPlaces(int64_t extent, int stride) {
  return extent == 0 ? 0 : (extent - 1) / stride + 1;
}

inline absl::StatusOr<VariableConv> ReadVariableConv(
    const DenseTensor& x, const DenseTensor& row, const DenseTensor& column,
    int input_channel, int output_channel, int stride_h, int stride_w,
    int kernel_h, int kernel_w) {
  VariableConv conv;
  conv.input_channels = input_channel;
  conv.output_channels = output_channel;
  conv.kernel_h = kernel_h;
  conv.kernel_w = kernel_w;
  conv.stride_h = stride_h;
  conv.stride_w = stride_w;
  SY_ASSIGN_OR_RETURN(conv.from, ReadExtents("row", row, "column", column));
  for (const MatrixExtents& one : conv.from) {
    conv.to.push_back({WindowPlaces(one.height, conv.stride_h),
                       WindowPlaces(one.width, conv.stride_w)});
  }
  SY_ASSIGN_OR_RETURN(conv.images,
                      MatrixOffsets(conv.from, conv.input_channels));
  SY_ASSIGN_OR_RETURN(conv.results,
                      MatrixOffsets(conv.to, conv.output_channels));
  SY_ASSIGN_OR_RETURN(conv.columns, MatrixOffsets(conv.to, conv.window()));
  SY_RETURN_IF_ERROR(CheckMatrices("x", x, conv.images));
  return conv;
}

// Calls visit(k, source) for element k of image i's columns [window, places]:
// the element of x that it is, -1 where it is padding.
template <typename Visit>
void VisitImageColumns(const VariableConv& conv, size_t i, const Visit& visit) {
  const MatrixExtents &from = conv.from[i], &to = conv.to[i];
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
std::vector<T> ImageColumns(const VariableConv& conv, size_t i, const T* x) {
  std::vector<T> columns(conv.columns[i + 1] - conv.columns[i]);
  VisitImageColumns(conv, i, [&](int64_t k, int64_t source) {
    columns[k] = source < 0 ? T{0} : x[source];
  });
  return columns;
}

template <typename S>
inline constexpr auto kVarConv2dSpec = KernelSpec<S>()
                                           .Input(S::kRow, AnyDtype())
                                           .Input(S::kColumn, AnyDtype())
                                           .Output(S::kOut,
                                                   SelfAllocated(ArgDef()))
                                           .Output(S::kCol,
                                                   SelfAllocated(ArgDef()));
// out: w [output channels, window] times the columns of each image, and these,
// col, one element a row, with an image in each sequence.
template <typename T>
absl::Status VarConv2dKernel(const CpuContext& context,
                             const VarConv2dArgs& args) {
  const DenseTensor& x = args.x;
  SY_ASSIGN_OR_RETURN(
      VariableConv conv,
      ReadVariableConv(args.x, args.row, args.column, args.input_channel,
                       args.output_channel, args.stride_h, args.stride_w,
                       args.kernel_h, args.kernel_w));
  SY_RETURN_IF_ERROR(AllocateAnew(context, x.dtype(),
                                  Shape({conv.results.back(), 1}), args.out));
  SY_RETURN_IF_ERROR(AllocateAnew(context, x.dtype(),
                                  Shape({conv.columns.back(), 1}), args.col));
  const T* w = args.w.data<T>();
  DenseTensor* col = args.col;
  T* kept = col == nullptr ? nullptr : col->mutable_data<T>();
  T* out = args.out->mutable_data<T>();
  for (size_t i = 0; i < conv.from.size(); ++i) {
    const std::vector<T> columns = ImageColumns(conv, i, x.data<T>());
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
  SetLod(LoD{{std::move(conv.results)}}, args.out);
  SetLod(LoD{{std::move(conv.columns)}}, args.col);
  return absl::OkStatus();
}

// The gradients of x and w, summed in double.
template <typename T>
class VarConv2dGrad {
 public:
  static absl::Status Run(const VarConv2dGradArgs& args) {
    SY_ASSIGN_OR_RETURN(
        const VariableConv conv,
        ReadVariableConv(args.x, args.row, args.column, args.input_channel,
                         args.output_channel, args.stride_h, args.stride_w,
                         args.kernel_h, args.kernel_w));
    const DenseTensor& out_grad = args.out_grad;
    SY_RETURN_IF_ERROR(CheckGradientRows(out_grad, conv.results.back()));
    const DenseTensor& x = args.x;
    const DenseTensor& w = args.w;
    std::vector<double> x_grad(x.numel(), 0.0), w_grad(w.numel(), 0.0);
    for (size_t i = 0; i < conv.from.size(); ++i) {
      AddImage(conv, i, x.data<T>(), w.data<T>(),
               out_grad.data<T>() + conv.results[i], &x_grad, &w_grad);
    }
    StoreSums<T>(x_grad, args.x_grad);
    StoreSums<T>(w_grad, args.w_grad);
    return absl::OkStatus();
  }

 private:
  static void AddImage(const VariableConv& conv, size_t i, const T* x,
                       const T* w, const T* slopes, std::vector<double>* x_grad,
                       std::vector<double>* w_grad) {
    const int64_t places = conv.to[i].height * conv.to[i].width;
    const std::vector<T> columns = ImageColumns(conv, i, x);
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
    VisitImageColumns(conv, i, [&](int64_t k, int64_t source) {
      if (source >= 0) (*x_grad)[source] += column_grad[k];
    });
  }
};

template <typename S>
inline constexpr auto kVarConv2dGradSpec =
    KernelSpec<S>().Input(S::kRow, AnyDtype()).Input(S::kColumn, AnyDtype());
template <typename T>
absl::Status VarConv2dGradKernel(const CpuContext&,
                                 const VarConv2dGradArgs& args) {
  return VarConv2dGrad<T>::Run(args);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_TEXT_MATCHING_VAR_CONV_2D_H_
