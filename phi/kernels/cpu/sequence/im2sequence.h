// SPDX-License-Identifier: Apache-2.0
// im2sequence and its gradient on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_IM2SEQUENCE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_IM2SEQUENCE_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "framework/types/data_type.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

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

inline ImagePieces MakeImagePieces(absl::Span<const int> kernels,
                                   absl::Span<const int> strides,
                                   absl::Span<const int> paddings) {
  ImagePieces pieces;
  pieces.kernels = kernels;
  pieces.strides = strides;
  pieces.paddings = paddings;
  return pieces;
}

// Rows and columns of pieces of one image.
using PieceGrid = std::pair<int64_t, int64_t>;

// The pieces of each image: of the whole image, or of its real size in y,
// divided by out_stride and rounded up.
inline absl::StatusOr<std::vector<PieceGrid>> ReadPieceGrids(
    const DenseTensor& x, const DenseTensor* y,
    absl::Span<const int> out_stride, const ImagePieces& pieces) {
  const PieceGrid whole = {pieces.Count(0, x.extent(2)),
                           pieces.Count(1, x.extent(3))};
  std::vector<PieceGrid> grids(static_cast<size_t>(x.extent(0)), whole);
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

// Calls visit(pixel of x or -1, element of out) for each element of the pieces,
// in their order: (channel, row, column) within one.
template <typename Visit>
void ForEachPiecePixel(const DenseTensor& x, const ImagePieces& pieces,
                       const std::vector<PieceGrid>& grids,
                       const Visit& visit) {
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

template <typename S>
inline constexpr auto kIm2sequenceSpec =
    KernelSpec<S>()
        .Input(S::kY,
               OneOf(DataTypeSet(DataType::kFloat32, DataType::kFloat64)))
        .Output(S::kOut, SelfAllocated(ArgDef()));
// x: [images, channels, height, width]. out: a row for each piece, a sequence
// for each image; pixels outside are 0.
template <typename T>
absl::Status Im2sequenceKernel(const CpuContext& context, const DenseTensor& x,
                               const DenseTensor* y,
                               absl::Span<const int> kernels,
                               absl::Span<const int> strides,
                               absl::Span<const int> paddings,
                               absl::Span<const int> out_stride,
                               DenseTensor* out) {
  const ImagePieces pieces = MakeImagePieces(kernels, strides, paddings);
  SY_ASSIGN_OR_RETURN(const std::vector<PieceGrid> grids,
                      ReadPieceGrids(x, y, out_stride, pieces));
  Offsets offsets = {0};
  for (const PieceGrid& grid : grids) {
    AppendSequence(grid.first * grid.second, &offsets);
  }
  const int64_t width = x.extent(1) * pieces.kernels[0] * pieces.kernels[1];
  SY_RETURN_IF_ERROR(
      AllocateAnew(context, x.dtype(), Shape({offsets.back(), width}), out));
  T* result = out->mutable_data<T>();
  const T* from = x.data<T>();
  ForEachPiecePixel(x, pieces, grids, [&](int64_t pixel, int64_t to) {
    result[to] = pixel < 0 ? T{0} : from[pixel];
  });
  SetLod(LoD{{std::move(offsets)}}, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kIm2sequenceGradSpec = KernelSpec<S>().Input(
    S::kY, OneOf(DataTypeSet(DataType::kFloat32, DataType::kFloat64)));
template <typename T>
absl::Status Im2sequenceGradKernel(
    const CpuContext&, const DenseTensor& x, const DenseTensor* y,
    const DenseTensor& out_grad, absl::Span<const int> kernels,
    absl::Span<const int> strides, absl::Span<const int> paddings,
    absl::Span<const int> out_stride, DenseTensor* x_grad) {
  const ImagePieces pieces = MakeImagePieces(kernels, strides, paddings);
  SY_ASSIGN_OR_RETURN(const std::vector<PieceGrid> grids,
                      ReadPieceGrids(x, y, out_stride, pieces));
  int64_t rows = 0;
  for (const PieceGrid& grid : grids) rows += grid.first * grid.second;
  SY_RETURN_IF_ERROR(CheckGradientRows(out_grad, rows));
  if (x_grad == nullptr) return absl::OkStatus();
  T* dx = x_grad->mutable_data<T>();
  std::fill_n(dx, x_grad->numel(), T{0});
  const T* from = out_grad.data<T>();
  ForEachPiecePixel(x, pieces, grids, [&](int64_t pixel, int64_t element) {
    if (pixel >= 0) dx[pixel] += from[element];
  });
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_IM2SEQUENCE_H_
