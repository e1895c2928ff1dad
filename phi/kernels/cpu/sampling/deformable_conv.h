// SPDX-License-Identifier: Apache-2.0
// deformable_conv and its gradient on the CPU: the samples of an image become a
// matrix, which products take from there. Taps, or channels, are shared among
// threads; results do not depend on how.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SAMPLING_DEFORMABLE_CONV_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SAMPLING_DEFORMABLE_CONV_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/deformable_conv.args.gen.h"
#include "phi/core/signatures/deformable_conv_grad.args.gen.h"
#include "phi/kernels/cpu/gemm/gemm.h"
#include "phi/kernels/cpu/sampling/moved_taps.h"
#include "phi/kernels/cpu/simd/workspace.h"

namespace switchyard::phi::kernels::cpu {

inline absl::StatusOr<MovedTaps> MakeMovedTaps(const DenseTensor& input,
                                               const DenseTensor& filter,
                                               const WindowAttrs& attrs,
                                               int deformable_groups) {
  MovedTaps taps = {{}, {}, input.extent(1), deformable_groups};
  SY_ASSIGN_OR_RETURN(taps.rows, ResolveWindow(attrs, 0, input.extent(2),
                                               filter.extent(2), "filter"));
  SY_ASSIGN_OR_RETURN(taps.columns, ResolveWindow(attrs, 1, input.extent(3),
                                                  filter.extent(3), "filter"));
  return taps;
}

// One image of a call.
template <typename T>
struct MovedImage {
  const T* planes;
  const T* offsets;
  const T* mask;  // Null: 1.

  MovedImage(const MovedTaps& taps, int64_t n, const T* input, const T* offset,
             const T* all_masks)
      : planes(input + n * taps.channels * taps.plane()) {
    const int64_t size = taps.deformable_groups * taps.taps() * taps.pixels();
    offsets = offset + n * 2 * size;
    mask = all_masks == nullptr ? nullptr : all_masks + n * size;
  }
  const T* group_offsets(const MovedTaps& taps, int64_t group) const {
    return offsets + group * 2 * taps.taps() * taps.pixels();
  }
  // The weight of a tap of a group, both in `unit`.
  T weight(const MovedTaps& taps, int64_t unit, int64_t pixel) const {
    return mask == nullptr ? T{1} : mask[unit * taps.pixels() + pixel];
  }
};

// Writes matrix [channels, taps, pixels].
template <typename T>
void ReadTaps(const MovedTaps& taps, const MovedImage<T>& image, T* matrix) {
  const int64_t count = taps.taps(), pixels = taps.pixels();
  ParallelFor(
      0, taps.deformable_groups * count, 1, [&](int64_t begin, int64_t end) {
        for (int64_t unit = begin; unit < end; ++unit) {
          const int64_t group = unit / count, tap = unit % count;
          const T* offsets = image.group_offsets(taps, group);
          for (int64_t p = 0; p < pixels; ++p) {
            const TapCorners<T> corners = taps.Corners(offsets, tap, p);
            const T weight = image.weight(taps, unit, p);
            for (int64_t i = 0; i < taps.group_channels(); ++i) {
              const int64_t c = group * taps.group_channels() + i;
              matrix[(c * count + tap) * pixels + p] =
                  weight * corners.Read(image.planes + c * taps.plane());
            }
          }
        }
      });
}

// The products of a call's groups, from slices of three matrices of which each
// is the group's own: out = a * b.
template <typename T>
absl::Status GroupProducts(Allocator& allocator, int64_t groups, int64_t m,
                           int64_t n, int64_t k, GemmOperand<T> a,
                           GemmOperand<T> b, T* out) {
  std::vector<GemmProduct<T>> products;
  for (int64_t g = 0; g < groups; ++g) {
    products.push_back({a, b, out + g * m * n});
    a.data += m * k;
    b.data += k * n;
  }
  return Gemm(allocator, m, n, k, products);
}

template <typename S>
inline constexpr auto kDeformableConvSpec = KernelSpec<S>();
template <typename T>
absl::Status DeformableConvKernel(const CpuContext& context,
                                  const DeformableConvArgs& args) {
  if (args.out->numel() == 0) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(
      const MovedTaps taps,
      MakeMovedTaps(args.input, args.filter,
                    {args.strides, args.paddings, "EXPLICIT", args.dilations},
                    args.deformable_groups));
  const int64_t depth = taps.channels / args.groups * taps.taps();
  const int64_t rows = args.filter.extent(0) / args.groups,
                pixels = taps.pixels();
  SY_ASSIGN_OR_RETURN(
      const auto matrix,
      Workspace<T>::Make(context.allocator(), args.groups * depth * pixels));
  for (int64_t n = 0; n < args.input.extent(0); ++n) {
    const MovedImage<T> image(
        taps, n, args.input.data<T>(), args.offset.data<T>(),
        args.mask == nullptr ? nullptr : args.mask->data<T>());
    ReadTaps(taps, image, matrix.data());
    SY_RETURN_IF_ERROR(GroupProducts<T>(
        context.allocator(), args.groups, rows, pixels, depth,
        {args.filter.data<T>(), depth, 1}, {matrix.data(), pixels, 1},
        args.out->mutable_data<T>() + n * args.filter.extent(0) * pixels));
  }
  return absl::OkStatus();
}

// The gradients of offsets and masks of an image, from that of its matrix.
template <typename T>
void MoveGrads(const MovedTaps& taps, const MovedImage<T>& image,
               const T* matrix, T* offset_grad, T* mask_grad) {
  const int64_t count = taps.taps(), pixels = taps.pixels();
  ParallelFor(0, taps.deformable_groups * count, 1,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin * pixels; i < end * pixels; ++i) {
                  const int64_t unit = i / pixels, p = i % pixels;
                  const int64_t group = unit / count, tap = unit % count;
                  const TapCorners<T> corners =
                      taps.Corners(image.group_offsets(taps, group), tap, p);
                  T down = 0, across = 0, sample = 0;
                  for (int64_t k = 0; k < taps.group_channels(); ++k) {
                    const int64_t c = group * taps.group_channels() + k;
                    const T* plane = image.planes + c * taps.plane();
                    const T grad = matrix[(c * count + tap) * pixels + p];
                    down += grad * corners.SlopeDown(plane);
                    across += grad * corners.SlopeAcross(plane);
                    sample += grad * corners.Read(plane);
                  }
                  const T weight = image.weight(taps, unit, p);
                  if (offset_grad != nullptr) {
                    offset_grad[2 * unit * pixels + p] = weight * down;
                    offset_grad[(2 * unit + 1) * pixels + p] = weight * across;
                  }
                  if (mask_grad != nullptr) {
                    mask_grad[unit * pixels + p] = sample;
                  }
                }
              });
}

// Adds the gradient of an image, from that of its matrix.
template <typename T>
void AddPlaneGrads(const MovedTaps& taps, const MovedImage<T>& image,
                   const T* matrix, T* input_grad) {
  const int64_t count = taps.taps(), pixels = taps.pixels();
  ParallelFor(0, taps.channels, 1, [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      const int64_t group = c / taps.group_channels();
      const T* offsets = image.group_offsets(taps, group);
      T* const plane = input_grad + c * taps.plane();
      for (int64_t i = 0; i < count * pixels; ++i) {
        const int64_t tap = i / pixels, p = i % pixels;
        const TapCorners<T> corners = taps.Corners(offsets, tap, p);
        const T grad = matrix[c * count * pixels + i] *
                       image.weight(taps, group * count + tap, p);
        for (int k = 0; k < 4; ++k) {
          if (corners.pixels[k] < 0) continue;
          plane[corners.pixels[k]] += grad * corners.weight(k);
        }
      }
    }
  });
}

// The gradients that are wanted; null otherwise.
template <typename T>
struct MovedGrads {
  T* input;
  T* offset;
  T* filter;
  T* mask;
};

template <typename T>
T* DataOrNull(DenseTensor* tensor) {
  return tensor == nullptr ? nullptr : tensor->mutable_data<T>();
}

template <typename S>
inline constexpr auto kDeformableConvGradSpec = KernelSpec<S>();
template <typename T>
absl::Status DeformableConvGradKernel(const CpuContext& context,
                                      const DeformableConvGradArgs& args) {
  const MovedGrads<T> to = {
      DataOrNull<T>(args.input_grad), DataOrNull<T>(args.offset_grad),
      DataOrNull<T>(args.filter_grad), DataOrNull<T>(args.mask_grad)};
  for (DenseTensor* grad :
       {args.input_grad, args.offset_grad, args.filter_grad, args.mask_grad}) {
    if (grad != nullptr) {
      std::fill_n(grad->mutable_data<T>(), grad->numel(), T{0});
    }
  }
  if (args.out_grad.numel() == 0) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(
      const MovedTaps taps,
      MakeMovedTaps(args.input, args.filter,
                    {args.strides, args.paddings, "EXPLICIT", args.dilations},
                    args.deformable_groups));
  const int64_t depth = taps.channels / args.groups * taps.taps();
  const int64_t rows = args.filter.extent(0) / args.groups,
                pixels = taps.pixels();
  Allocator& allocator = context.allocator();
  SY_ASSIGN_OR_RETURN(
      const auto matrix,
      Workspace<T>::Make(allocator, args.groups * depth * pixels));
  SY_ASSIGN_OR_RETURN(const auto product,
                      Workspace<T>::Make(allocator, args.filter.numel()));
  for (int64_t n = 0; n < args.input.extent(0); ++n) {
    const MovedImage<T> image(
        taps, n, args.input.data<T>(), args.offset.data<T>(),
        args.mask == nullptr ? nullptr : args.mask->data<T>());
    const T* grad =
        args.out_grad.data<T>() + n * args.filter.extent(0) * pixels;
    if (to.filter != nullptr) {
      ReadTaps(taps, image, matrix.data());
      SY_RETURN_IF_ERROR(GroupProducts<T>(
          allocator, args.groups, rows, depth, pixels, {grad, pixels, 1},
          {matrix.data(), 1, pixels}, product.data()));
      for (int64_t i = 0; i < args.filter.numel(); ++i) {
        to.filter[i] += product.data()[i];
      }
    }
    SY_RETURN_IF_ERROR(GroupProducts<T>(allocator, args.groups, depth, pixels,
                                        rows, {args.filter.data<T>(), 1, depth},
                                        {grad, pixels, 1}, matrix.data()));
    const int64_t units = taps.deformable_groups * taps.taps() * pixels;
    if (to.offset != nullptr || to.mask != nullptr) {
      MoveGrads(taps, image, matrix.data(),
                to.offset == nullptr ? nullptr : to.offset + n * 2 * units,
                to.mask == nullptr ? nullptr : to.mask + n * units);
    }
    if (to.input != nullptr) {
      AddPlaneGrads(taps, image, matrix.data(),
                    to.input + n * taps.channels * taps.plane());
    }
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SAMPLING_DEFORMABLE_CONV_H_
