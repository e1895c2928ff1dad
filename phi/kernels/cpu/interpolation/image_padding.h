// SPDX-License-Identifier: Apache-2.0
// pad2d, pad3d and their gradients on the CPU. A row of the result, and a plane
// of a gradient, is one thread's: the number of threads does not change the
// bits.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_IMAGE_PADDING_H_
#define SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_IMAGE_PADDING_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/conversion/in_float.h"
#include "phi/kernels/cpu/interpolation/resampled_image.h"

namespace switchyard::phi::kernels::cpu {

// Returns, for each element of a padded axis, the element of x that it is; -1
// for the padding's value.
inline std::vector<int64_t> PaddedSources(int64_t in, int64_t before,
                                          int64_t out, std::string_view mode) {
  std::vector<int64_t> sources(out);
  for (int64_t i = 0; i < out; ++i) {
    const int64_t at = i - before;
    if (at >= 0 && at < in) {
      sources[i] = at;
    } else if (mode == "constant") {
      sources[i] = -1;
    } else if (mode == "reflect") {
      sources[i] = at < 0 ? -at : 2 * (in - 1) - at;
    } else if (mode == "circular") {
      sources[i] = (at % in + in) % in;
    } else {  // "replicate", "edge"
      sources[i] = at < 0 ? 0 : in - 1;
    }
  }
  return sources;
}

// The extents of x and of the padded image, and the sources along each axis.
struct PaddedImage3d {
  ResampledImage image;
  std::array<std::vector<int64_t>, 3> sources;
};

// `before` is the padding before depth, height and width.
inline PaddedImage3d MakePaddedImage(const DenseTensor& x,
                                     const DenseTensor& out,
                                     const int64_t (&before)[3],
                                     std::string_view mode,
                                     std::string_view data_format) {
  PaddedImage3d padded;
  padded.image = MakeResampledImage(x, out, {}, data_format);
  for (int axis = 0; axis < 3; ++axis) {
    padded.sources[axis] = PaddedSources(padded.image.in[axis], before[axis],
                                         padded.image.out[axis], mode);
  }
  return padded;
}

// Returns the position of row (d, h) of x, for row number i of a padded plane;
// -1 if it is padding.
inline int64_t SourceRow(const PaddedImage3d& padded, int64_t i) {
  const ResampledImage& image = padded.image;
  const int64_t d = padded.sources[0][i / image.out[1]];
  const int64_t h = padded.sources[1][i % image.out[1]];
  if (d < 0 || h < 0) return -1;
  return (d * image.in[1] + h) * image.in[2] * image.inner;
}

template <typename T>
void PadImage(const PaddedImage3d& padded, T value, const T* x, T* out) {
  const ResampledImage& image = padded.image;
  const int64_t rows = image.out[0] * image.out[1], inner = image.inner;
  const int64_t width = image.out[2];
  ParallelFor(0, image.outer * rows, ResampledImage::Grain(width * inner),
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  T* to = out + i * width * inner;
                  const int64_t row = SourceRow(padded, i % rows);
                  const T* from = x + i / rows * image.in_size() + row;
                  for (int64_t w = 0; w < width; ++w, to += inner) {
                    const int64_t source = row < 0 ? -1 : padded.sources[2][w];
                    if (source < 0) {
                      std::fill_n(to, inner, value);
                    } else {
                      std::copy_n(from + source * inner, inner, to);
                    }
                  }
                }
              });
}

template <typename T>
void PadImageGrad(const PaddedImage3d& padded, const T* out_grad, T* x_grad) {
  const ResampledImage& image = padded.image;
  const int64_t rows = image.out[0] * image.out[1], inner = image.inner;
  const int64_t width = image.out[2];
  ParallelFor(0, image.outer, ResampledImage::Grain(image.out_size()),
              [&](int64_t begin, int64_t end) {
                std::fill(x_grad + begin * image.in_size(),
                          x_grad + end * image.in_size(), T{0});
                for (int64_t i = begin * rows; i < end * rows; ++i) {
                  const int64_t row = SourceRow(padded, i % rows);
                  if (row < 0) continue;
                  const T* from = out_grad + i * width * inner;
                  T* to = x_grad + i / rows * image.in_size() + row;
                  for (int64_t w = 0; w < width; ++w, from += inner) {
                    const int64_t source = padded.sources[2][w];
                    for (int64_t c = 0; source >= 0 && c < inner; ++c) {
                      to[source * inner + c] += from[c];
                    }
                  }
                }
              });
}

template <typename S>
inline constexpr auto kPad2dSpec = KernelSpec<S>();
template <typename T>
absl::Status Pad2dKernel(const CpuContext&, const DenseTensor& x,
                         absl::Span<const int64_t> paddings,
                         std::string_view mode, double pad_value,
                         std::string_view data_format, DenseTensor* out) {
  if (out->numel() == 0) return absl::OkStatus();
  PadImage(MakePaddedImage(x, *out, {0, paddings[0], paddings[2]}, mode,
                           data_format),
           static_cast<T>(pad_value), x.data<T>(), out->mutable_data<T>());
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kPad2dGradSpec = KernelSpec<S>();
template <typename T>
absl::Status Pad2dGradOf(const CpuContext&, const DenseTensor& out_grad,
                         absl::Span<const int64_t> paddings,
                         std::string_view mode, std::string_view data_format,
                         DenseTensor* x_grad) {
  if (x_grad->numel() == 0) return absl::OkStatus();
  PadImageGrad(MakePaddedImage(*x_grad, out_grad, {0, paddings[0], paddings[2]},
                               mode, data_format),
               out_grad.data<T>(), x_grad->mutable_data<T>());
  return absl::OkStatus();
}
template <typename T>
inline constexpr auto Pad2dGradKernel =
    KernelInFloat<T, &Pad2dGradOf<FloatFor<T>>>();

template <typename S>
inline constexpr auto kPad3dSpec = KernelSpec<S>();
template <typename T>
absl::Status Pad3dKernel(const CpuContext&, const DenseTensor& x,
                         absl::Span<const int64_t> paddings,
                         std::string_view mode, double pad_value,
                         std::string_view data_format, DenseTensor* out) {
  if (out->numel() == 0) return absl::OkStatus();
  PadImage(MakePaddedImage(x, *out, {paddings[4], paddings[2], paddings[0]},
                           mode, data_format),
           static_cast<T>(pad_value), x.data<T>(), out->mutable_data<T>());
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kPad3dGradSpec = KernelSpec<S>();
template <typename T>
absl::Status Pad3dGradOf(const CpuContext&, const DenseTensor& out_grad,
                         absl::Span<const int64_t> paddings,
                         std::string_view mode, std::string_view data_format,
                         DenseTensor* x_grad) {
  if (x_grad->numel() == 0) return absl::OkStatus();
  PadImageGrad(MakePaddedImage(*x_grad, out_grad,
                               {paddings[4], paddings[2], paddings[0]}, mode,
                               data_format),
               out_grad.data<T>(), x_grad->mutable_data<T>());
  return absl::OkStatus();
}
template <typename T>
inline constexpr auto Pad3dGradKernel =
    KernelInFloat<T, &Pad3dGradOf<FloatFor<T>>>();

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_IMAGE_PADDING_H_
