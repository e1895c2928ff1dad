// SPDX-License-Identifier: Apache-2.0
// linear_interp, bilinear_interp, trilinear_interp, bicubic_interp and their
// gradients on the CPU. The arithmetic is weighted_sums.h's.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_LINEAR_H_
#define SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_LINEAR_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/conversion/in_float.h"
#include "phi/kernels/cpu/interpolation/resampled_image.h"
#include "phi/kernels/cpu/interpolation/weighted_sums.h"

namespace switchyard::phi::kernels::cpu {

inline TapRule LinearTaps(bool align_corners, int align_mode,
                          bool recompute_scale_factor) {
  return {false,
          align_corners,
          align_mode == 0 || align_mode == 3,
          recompute_scale_factor,
          align_mode == 2,
          align_mode == 3};
}

inline TapRule CubicTaps(bool align_corners, bool recompute_scale_factor,
                         int align_mode) {
  return {true,  align_corners,  true, recompute_scale_factor,
          false, align_mode == 3};
}

template <typename S>
inline constexpr auto kBilinearInterpSpec =
    KernelSpec<S>().Layouts(DataLayout::kStrided, &ResampledLayouts<S>);
template <typename T>
absl::Status BilinearInterpOf(const CpuContext& context, const DenseTensor& x,
                              absl::Span<const float> scale,
                              std::string_view data_format, bool align_corners,
                              int align_mode, bool recompute_scale_factor,
                              DenseTensor* out) {
  if (out->numel() == 0) return absl::OkStatus();
  return WeightedSums(
      context.allocator(), MakeResampledImage(x, *out, scale, data_format),
      LinearTaps(align_corners, align_mode, recompute_scale_factor),
      x.data<T>(), out->mutable_data<T>());
}
template <typename T>
inline constexpr auto BilinearInterpKernel =
    KernelInFloat<T, &BilinearInterpOf<FloatFor<T>>>();

template <typename S>
inline constexpr auto kBilinearInterpGradSpec = KernelSpec<S>();
template <typename T>
absl::Status BilinearInterpGradOf(const CpuContext& context,
                                  const DenseTensor& out_grad,
                                  absl::Span<const float> scale,
                                  std::string_view data_format,
                                  bool align_corners, int align_mode,
                                  bool recompute_scale_factor,
                                  DenseTensor* x_grad) {
  if (x_grad->numel() == 0) return absl::OkStatus();
  return WeightedSumsGrad(
      context.allocator(),
      MakeResampledImage(*x_grad, out_grad, scale, data_format),
      LinearTaps(align_corners, align_mode, recompute_scale_factor),
      out_grad.data<T>(), x_grad->mutable_data<T>());
}
template <typename T>
inline constexpr auto BilinearInterpGradKernel =
    KernelInFloat<T, &BilinearInterpGradOf<FloatFor<T>>>();

// They take one axis, and three axes, as well as two.
template <typename S>
inline constexpr auto kLinearInterpSpec = KernelSpec<S>();
template <typename T>
inline constexpr auto LinearInterpKernel = BilinearInterpKernel<T>;
template <typename S>
inline constexpr auto kLinearInterpGradSpec = KernelSpec<S>();
template <typename T>
inline constexpr auto LinearInterpGradKernel = BilinearInterpGradKernel<T>;
template <typename S>
inline constexpr auto kTrilinearInterpSpec = KernelSpec<S>();
template <typename T>
inline constexpr auto TrilinearInterpKernel = BilinearInterpKernel<T>;
template <typename S>
inline constexpr auto kTrilinearInterpGradSpec = KernelSpec<S>();
template <typename T>
inline constexpr auto TrilinearInterpGradKernel = BilinearInterpGradKernel<T>;

template <typename S>
inline constexpr auto kBicubicInterpSpec =
    KernelSpec<S>().Layouts(DataLayout::kStrided, &ResampledLayouts<S>);
template <typename T>
absl::Status BicubicInterpOf(const CpuContext& context, const DenseTensor& x,
                             absl::Span<const float> scale,
                             std::string_view data_format, bool align_corners,
                             bool recompute_scale_factor, int align_mode,
                             DenseTensor* out) {
  if (out->numel() == 0) return absl::OkStatus();
  return WeightedSums(
      context.allocator(), MakeResampledImage(x, *out, scale, data_format),
      CubicTaps(align_corners, recompute_scale_factor, align_mode), x.data<T>(),
      out->mutable_data<T>());
}
template <typename T>
inline constexpr auto BicubicInterpKernel =
    KernelInFloat<T, &BicubicInterpOf<FloatFor<T>>>();

template <typename S>
inline constexpr auto kBicubicInterpGradSpec = KernelSpec<S>();
template <typename T>
absl::Status BicubicInterpGradOf(const CpuContext& context,
                                 const DenseTensor& out_grad,
                                 absl::Span<const float> scale,
                                 std::string_view data_format,
                                 bool align_corners,
                                 bool recompute_scale_factor, int align_mode,
                                 DenseTensor* x_grad) {
  if (x_grad->numel() == 0) return absl::OkStatus();
  return WeightedSumsGrad(
      context.allocator(),
      MakeResampledImage(*x_grad, out_grad, scale, data_format),
      CubicTaps(align_corners, recompute_scale_factor, align_mode),
      out_grad.data<T>(), x_grad->mutable_data<T>());
}
template <typename T>
inline constexpr auto BicubicInterpGradKernel =
    KernelInFloat<T, &BicubicInterpGradOf<FloatFor<T>>>();

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_INTERPOLATION_LINEAR_H_
