// SPDX-License-Identifier: Apache-2.0
// nearest_interp and its gradient on the CPU. A row of pixels, and in the
// gradient a pixel of x, is one thread's: the number of threads does not change
// the bits.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_NEAREST_H_
#define SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_NEAREST_H_

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/conversion/widened_tensor.h"
#include "phi/kernels/cpu/interpolation/nearest_source.h"
#include "phi/kernels/cpu/interpolation/resampled_image.h"

namespace switchyard::phi::kernels::cpu {

// The row of pixels of kInner channels: a copy of a constant size is a few
// instructions.
template <int kInner, typename T>
void CopyPixels(const NearestSource& columns, int64_t width, const T* x,
                T* out) {
  for (int64_t w = 0; w < width; ++w) {
    std::copy_n(x + columns.from[w] * kInner, kInner, out + w * kInner);
  }
}

// Writes a row of the result from the row `x` of the image.
template <typename T>
void NearestRow(const ResampledImage& image, const NearestSource& columns,
                const T* x, T* out) {
  const int64_t width = image.out[2], inner = image.inner;
  if (inner == 8) return CopyPixels<8>(columns, width, x, out);
  if (inner == 16) return CopyPixels<16>(columns, width, x, out);
  if (inner > 1) {
    for (int64_t w = 0; w < width; ++w) {
      std::copy_n(x + columns.from[w] * inner, inner, out + w * inner);
    }
    return;
  }
  if (columns.doubles) {
    for (int64_t w = 0; w < width / 2; ++w) {
      out[2 * w] = x[w];
      out[2 * w + 1] = x[w];
    }
    return;
  }
  for (int64_t w = 0; w < width; ++w) out[w] = x[columns.from[w]];
}

template <typename S>
inline constexpr auto kNearestInterpSpec =
    KernelSpec<S>().Layouts(DataLayout::kStrided, &ResampledLayouts<S>);
template <typename T>
absl::Status NearestInterpKernel(const CpuContext&, const DenseTensor& x,
                                 absl::Span<const float> scale,
                                 std::string_view data_format,
                                 bool align_corners,
                                 bool recompute_scale_factor, bool half_pixel,
                                 DenseTensor* out) {
  if (out->numel() == 0) return absl::OkStatus();
  const ResampledImage image = MakeResampledImage(x, *out, scale, data_format);
  const auto sources =
      NearestSources(image, align_corners, recompute_scale_factor, half_pixel);
  const int64_t height = image.out[1], rows = image.out[0] * height;
  const int64_t row = image.out[2] * image.inner;
  const T* const from = x.data<T>();
  T* const to = out->mutable_data<T>();
  ParallelFor(0, image.outer * rows, ResampledImage::Grain(row),
              [&](int64_t begin, int64_t end) {
                const T* last = nullptr;
                for (int64_t i = begin; i < end; ++i) {
                  const int64_t d = sources[0].from[i % rows / height];
                  const int64_t h = sources[1].from[i % height];
                  const T* source =
                      from + i / rows * image.in_size() +
                      (d * image.in[1] + h) * image.in[2] * image.inner;
                  if (source == last) {
                    std::copy_n(to + (i - 1) * row, row, to + i * row);
                  } else {
                    NearestRow(image, sources[2], source, to + i * row);
                  }
                  last = source;
                }
              });
  return absl::OkStatus();
}

// Returns the sum over the elements of `grads` that element (d, h, w) of x
// became, one of the channels that lie together.
template <typename T>
T SumOfNearest(const ResampledImage& image, const NearestSource* sources,
               const int64_t (&at)[3], const T* grads) {
  ComputeType<T> sum = 0;
  for (int64_t d = sources[0].begin(at[0]); d < sources[0].end(at[0]); ++d) {
    for (int64_t h = sources[1].begin(at[1]); h < sources[1].end(at[1]); ++h) {
      const T* row =
          grads + (d * image.out[1] + h) * image.out[2] * image.inner;
      for (int64_t w = sources[2].begin(at[2]); w < sources[2].end(at[2]);
           ++w) {
        sum += static_cast<ComputeType<T>>(row[w * image.inner]);
      }
    }
  }
  return static_cast<T>(sum);
}

template <typename S>
inline constexpr auto kNearestInterpGradSpec = KernelSpec<S>();
template <typename T>
absl::Status NearestInterpGradKernel(const CpuContext&,
                                     const DenseTensor& out_grad,
                                     absl::Span<const float> scale,
                                     std::string_view data_format,
                                     bool align_corners,
                                     bool recompute_scale_factor,
                                     bool half_pixel, DenseTensor* x_grad) {
  if (x_grad->numel() == 0) return absl::OkStatus();
  const ResampledImage image =
      MakeResampledImage(*x_grad, out_grad, scale, data_format);
  const auto sources =
      NearestSources(image, align_corners, recompute_scale_factor, half_pixel);
  const int64_t height = image.in[1], rows = image.in[0] * height;
  const int64_t row = image.in[2] * image.inner;
  const T* const from = out_grad.data<T>();
  T* const to = x_grad->mutable_data<T>();
  ParallelFor(0, image.outer * rows, ResampledImage::Grain(row),
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  const T* grads = from + i / rows * image.out_size();
                  for (int64_t e = 0; e < row; ++e) {
                    to[i * row + e] = SumOfNearest(
                        image, sources.data(),
                        {i % rows / height, i % height, e / image.inner},
                        grads + e % image.inner);
                  }
                }
              });
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_NEAREST_H_
