// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of im2sequence and its gradient on the CPU.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/im2sequence.gen.h"
#include "phi/core/signatures/im2sequence_grad.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/fluid/sequence/offsets.h"
#include "phi/legacy/im2sequence.gen.h"
#include "phi/legacy/im2sequence_grad.gen.h"

namespace switchyard::phi {
namespace fluid {

// How an image is cut into pieces of kernel_height * kernel_width pixels, which
// begin `stride` pixels apart. Paddings are (up, left, down, right).
struct ImagePieces {
  absl::Span<const int> kernels;
  absl::Span<const int> strides;
  absl::Span<const int> paddings;

  // The number of pieces along an axis (0: height) of `extent` pixels; 0 if it
  // is too small for one.
  int64_t Count(int axis, int64_t extent) const {
    const int64_t free =
        extent + paddings[axis] + paddings[axis + 2] - kernels[axis];
    return free < 0 ? 0 : free / strides[axis] + 1;
  }
};

namespace {

absl::StatusOr<ImagePieces> ReadPieces(const ExecutionContext& context) {
  ImagePieces pieces;
  SY_ASSIGN_OR_RETURN(pieces.kernels,
                      context.Attr<absl::Span<const int>>("kernels"));
  SY_ASSIGN_OR_RETURN(pieces.strides,
                      context.Attr<absl::Span<const int>>("strides"));
  SY_ASSIGN_OR_RETURN(pieces.paddings,
                      context.Attr<absl::Span<const int>>("paddings"));
  return pieces;
}

// Rows and columns of pieces of one image.
using Grid = std::pair<int64_t, int64_t>;

// The pieces of each image: of the whole image, or of its real size in Y,
// divided by out_stride and rounded up.
absl::StatusOr<std::vector<Grid>> ReadGrids(const ExecutionContext& context,
                                            const ImagePieces& pieces) {
  const DenseTensor& x = *context.Input("X");
  const DenseTensor* y = context.Input("Y");
  SY_ASSIGN_OR_RETURN(const auto out_stride,
                      context.Attr<absl::Span<const int>>("out_stride"));
  const Grid whole = {pieces.Count(0, x.extent(2)),
                      pieces.Count(1, x.extent(3))};
  std::vector<Grid> grids(static_cast<size_t>(x.extent(0)), whole);
  if (y != nullptr && y->extent(0) < x.extent(0)) {
    return ArgumentError(
        "y", "of a row for each of " + std::to_string(x.extent(0)) + " images",
        ToString(y->shape()));
  }
  for (size_t i = 0; i < grids.size() && y != nullptr; ++i) {
    int64_t counts[2];
    for (int axis = 0; axis < 2; ++axis) {
      // A size may come as a floating number; it has at most the image's.
      const double real = y->dtype() == DataType::kFloat32
                              ? y->data<float>()[2 * i + axis]
                              : y->data<double>()[2 * i + axis];
      const auto most =
          static_cast<double>(x.extent(2 + axis)) * out_stride[axis];
      if (!(real >= 0 && real <= most)) {
        return RangeError("y", "in [0, " + std::to_string(most) + "]",
                          std::to_string(real));
      }
      const auto size = static_cast<int64_t>(real);
      counts[axis] =
          pieces.Count(axis, (size + out_stride[axis] - 1) / out_stride[axis]);
    }
    grids[i] = {counts[0], counts[1]};
  }
  return grids;
}

// Calls visit(pixel of X or -1, element of Out) for each element of the pieces,
// in their order: (channel, row, column) within one.
template <typename Visit>
void ForEachPixel(const DenseTensor& x, const ImagePieces& pieces,
                  const std::vector<Grid>& grids, const Visit& visit) {
  const int64_t channels = x.extent(1), height = x.extent(2),
                width = x.extent(3);
  int64_t to = 0;
  for (size_t image = 0; image < grids.size(); ++image) {
    const int64_t first = static_cast<int64_t>(image) * channels;
    for (int64_t i = 0; i < grids[image].first * grids[image].second; ++i) {
      const int64_t top =
          i / grids[image].second * pieces.strides[0] - pieces.paddings[0];
      const int64_t left =
          i % grids[image].second * pieces.strides[1] - pieces.paddings[1];
      for (int64_t c = first; c < first + channels; ++c) {
        for (int64_t row = top; row < top + pieces.kernels[0]; ++row) {
          for (int64_t col = left; col < left + pieces.kernels[1]; ++col) {
            const bool inside =
                row >= 0 && row < height && col >= 0 && col < width;
            visit(inside ? (c * height + row) * width + col : -1, to++);
          }
        }
      }
    }
  }
}

}  // namespace

// X: [images, channels, height, width]. Out: a row for each piece, a sequence
// for each image; pixels outside are 0.
template <typename T>
class Im2sequenceCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    SY_ASSIGN_OR_RETURN(const ImagePieces pieces, ReadPieces(context));
    SY_ASSIGN_OR_RETURN(const std::vector<Grid> grids,
                        ReadGrids(context, pieces));
    Offsets offsets = {0};
    for (const Grid& grid : grids) {
      AppendSequence(grid.first * grid.second, &offsets);
    }
    const int64_t width = x.extent(1) * pieces.kernels[0] * pieces.kernels[1];
    SY_RETURN_IF_ERROR(
        context.Allocate("Out", x.dtype(), Shape({offsets.back(), width})));
    T* out = context.Output("Out")->template mutable_data<T>();
    const T* from = x.data<T>();
    ForEachPixel(x, pieces, grids, [&](int64_t pixel, int64_t to) {
      out[to] = pixel < 0 ? T{0} : from[pixel];
    });
    context.SetLod("Out", LoD{{std::move(offsets)}});
    return absl::OkStatus();
  }
};

template <typename T>
class Im2sequenceGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    const DenseTensor& out_grad = *context.Input("Out@GRAD");
    SY_ASSIGN_OR_RETURN(const ImagePieces pieces, ReadPieces(context));
    SY_ASSIGN_OR_RETURN(const std::vector<Grid> grids,
                        ReadGrids(context, pieces));
    int64_t rows = 0;
    for (const Grid& grid : grids) rows += grid.first * grid.second;
    SY_RETURN_IF_ERROR(CheckRows(out_grad, rows));
    DenseTensor* x_grad = context.Output("X@GRAD");
    if (x_grad == nullptr) return absl::OkStatus();
    T* dx = x_grad->template mutable_data<T>();
    std::fill_n(dx, x_grad->numel(), T{0});
    const T* from = out_grad.data<T>();
    ForEachPixel(x, pieces, grids, [&](int64_t pixel, int64_t element) {
      if (pixel >= 0) dx[pixel] += from[element];
    });
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kIm2sequenceSpec =
    KernelSpec<Im2sequenceSignature>()
        .Input(Im2sequenceSignature::kY,
               OneOf(DataTypeSet(DataType::kFloat32, DataType::kFloat64)))
        .Output(Im2sequenceSignature::kOut, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(im2sequence, cpu, fluid::Im2sequenceCpuKernel,
                         legacy_im2sequence, kIm2sequenceSpec, float32,
                         float64);

constexpr auto kIm2sequenceGradSpec =
    KernelSpec<Im2sequenceGradSignature>().Input(
        Im2sequenceGradSignature::kY,
        OneOf(DataTypeSet(DataType::kFloat32, DataType::kFloat64)));
SY_REGISTER_FLUID_KERNEL(im2sequence_grad, cpu, fluid::Im2sequenceGradCpuKernel,
                         legacy_im2sequence_grad, kIm2sequenceGradSpec, float32,
                         float64);

}  // namespace switchyard::phi
