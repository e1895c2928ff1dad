// SPDX-License-Identifier: Apache-2.0
// The kernels of conv3d, conv3d_transpose and their gradients, and of unfold
// and fold, on the CPU: attributes and formats. The arithmetic is
// volume_conv.h's.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_VOLUME_VOLUME_H_
#define SWITCHYARD_PHI_KERNELS_CPU_VOLUME_VOLUME_H_

#include <algorithm>
#include <string_view>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/conv3d.args.gen.h"
#include "phi/core/signatures/conv3d_grad.args.gen.h"
#include "phi/core/signatures/conv3d_transpose.args.gen.h"
#include "phi/core/signatures/conv3d_transpose_grad.args.gen.h"
#include "phi/kernels/cpu/conversion/items_in_float.h"
#include "phi/kernels/cpu/volume/volume_conv.h"
#include "phi/kernels/cpu/volume/volume_windows.h"
#include "phi/shapes/interpolation.h"

namespace switchyard::phi::kernels::cpu {

// The convolution of `input` to `output`; where `transposed`, the one whose
// result's gradient the operator takes for its input.
inline absl::StatusOr<VolumeConv> MakeVolumeConv(
    const Shape& input, const Shape& filter, const Shape& output,
    const WindowAttrs& attrs, int groups, std::string_view data_format,
    bool transposed) {
  const bool last = ChannelsLast(data_format);
  VolumeConv conv{
      VolumeTensor(input, last), VolumeTensor(output, last), {}, groups,
      filter.extent(1),          filter.extent(0) / groups};
  for (int axis = 0; axis < 3; ++axis) {
    WindowAxis& window = conv.windows.axes[axis];
    const int64_t kernel = filter.extent(2 + axis);
    if (transposed) {
      SY_ASSIGN_OR_RETURN(
          window, ResolveTransposedWindow(
                      attrs, axis, conv.output.extents[axis], kernel, "x"));
    } else {
      SY_ASSIGN_OR_RETURN(
          window, ResolveWindow(attrs, axis, conv.input.extents[axis], kernel,
                                "filter"));
    }
  }
  return conv;
}

template <typename S>
inline constexpr auto kConv3dSpec = KernelSpec<S>();
template <typename T>
absl::Status Conv3dOf(const CpuContext& context, const Conv3dArgs& args) {
  SY_ASSIGN_OR_RETURN(
      const VolumeConv conv,
      MakeVolumeConv(
          args.input.shape(), args.filter.shape(), args.out->shape(),
          {args.strides, args.paddings, args.padding_algorithm, args.dilations},
          args.groups, args.data_format, false));
  return ConvVolume(context.allocator(), conv, args.input.data<T>(),
                    args.filter.data<T>(), args.out->mutable_data<T>());
}
template <typename T>
inline constexpr auto Conv3dKernel =
    KernelByItemsInFloat<T, &Conv3dOf<FloatFor<T>>, Batched(0, 8)>();

template <typename S>
inline constexpr auto kConv3dGradSpec = KernelSpec<S>();
template <typename T>
absl::Status Conv3dGradOf(const CpuContext& context,
                          const Conv3dGradArgs& args) {
  SY_ASSIGN_OR_RETURN(
      const VolumeConv conv,
      MakeVolumeConv(
          args.input.shape(), args.filter.shape(), args.out_grad.shape(),
          {args.strides, args.paddings, args.padding_algorithm, args.dilations},
          args.groups, args.data_format, false));
  if (args.filter_grad != nullptr) {
    SY_RETURN_IF_ERROR(ConvVolumeFilterGrad(
        context.allocator(), conv, args.input.data<T>(),
        args.out_grad.data<T>(), args.filter_grad->mutable_data<T>()));
  }
  if (args.input_grad == nullptr) return absl::OkStatus();
  return ConvVolumeInputGrad(context.allocator(), conv, args.filter.data<T>(),
                             args.out_grad.data<T>(),
                             args.input_grad->mutable_data<T>());
}
template <typename T>
inline constexpr auto Conv3dGradKernel =
    KernelByItemsInFloat<T, &Conv3dGradOf<FloatFor<T>>, Batched(0, 2, 9)>();

template <typename S>
inline constexpr auto kConv3dTransposeSpec = KernelSpec<S>();
template <typename T>
absl::Status Conv3dTransposeOf(const CpuContext& context,
                               const Conv3dTransposeArgs& args) {
  SY_ASSIGN_OR_RETURN(
      const VolumeConv conv,
      MakeVolumeConv(
          args.out->shape(), args.filter.shape(), args.x.shape(),
          {args.strides, args.paddings, args.padding_algorithm, args.dilations},
          args.groups, args.data_format, true));
  return ConvVolumeInputGrad(context.allocator(), conv, args.filter.data<T>(),
                             args.x.data<T>(), args.out->mutable_data<T>());
}
template <typename T>
inline constexpr auto Conv3dTransposeKernel =
    KernelByItemsInFloat<T, &Conv3dTransposeOf<FloatFor<T>>, Batched(0, 8)>();

template <typename S>
inline constexpr auto kConv3dTransposeGradSpec = KernelSpec<S>();
template <typename T>
absl::Status Conv3dTransposeGradOf(const CpuContext& context,
                                   const Conv3dTransposeGradArgs& args) {
  SY_ASSIGN_OR_RETURN(
      const VolumeConv conv,
      MakeVolumeConv(
          args.out_grad.shape(), args.filter.shape(), args.x.shape(),
          {args.strides, args.paddings, args.padding_algorithm, args.dilations},
          args.groups, args.data_format, true));
  if (args.filter_grad != nullptr) {
    SY_RETURN_IF_ERROR(ConvVolumeFilterGrad(
        context.allocator(), conv, args.out_grad.data<T>(), args.x.data<T>(),
        args.filter_grad->mutable_data<T>()));
  }
  if (args.x_grad == nullptr) return absl::OkStatus();
  return ConvVolume(context.allocator(), conv, args.out_grad.data<T>(),
                    args.filter.data<T>(), args.x_grad->mutable_data<T>());
}
template <typename T>
inline constexpr auto Conv3dTransposeGradKernel = KernelByItemsInFloat<
    T, &Conv3dTransposeGradOf<FloatFor<T>>, Batched(0, 2, 9)>();

// The windows of unfold and fold over an image of these extents. Their paddings
// are {top, left, bottom, right}.
inline absl::StatusOr<VolumeWindows> UnfoldWindows(
    int64_t height, int64_t width, absl::Span<const int> kernel_sizes,
    absl::Span<const int> strides, absl::Span<const int> paddings,
    absl::Span<const int> dilations) {
  const bool four = paddings.size() == 4;
  const int sides[] = {paddings[0], paddings[four ? 2 : 0], paddings[1],
                       paddings[four ? 3 : 1]};
  const WindowAttrs attrs = {strides, sides, "EXPLICIT", dilations};
  VolumeWindows windows;
  for (int axis = 0; axis < 2; ++axis) {
    SY_ASSIGN_OR_RETURN(
        windows.axes[1 + axis],
        ResolveWindow(attrs, axis, axis == 0 ? height : width,
                      kernel_sizes[static_cast<size_t>(axis)], "kernel_sizes"));
  }
  return windows;
}

// Copies all windows of each item of `images` to columns.
template <typename T>
void UnrollImages(const DenseTensor& images, const VolumeWindows& windows,
                  T* columns) {
  const VolumeTensor tensor(images.shape(), false);
  const int64_t size = tensor.channels * windows.taps() * windows.count();
  for (int64_t n = 0; n < tensor.batch; ++n) {
    UnrollVolume(tensor, windows, tensor.channels, 0, 1,
                 images.data<T>() + n * tensor.batch_stride,
                 columns + n * size);
  }
}

// Adds the columns of each item up.
template <typename T>
void FoldImages(const T* columns, const VolumeWindows& windows,
                DenseTensor* images) {
  const VolumeTensor tensor(images->shape(), false);
  const int64_t size = tensor.channels * windows.taps() * windows.count();
  T* to = images->mutable_data<T>();
  std::fill_n(to, images->numel(), T{});
  for (int64_t n = 0; n < tensor.batch; ++n) {
    AddColumns(tensor, windows, tensor.channels, 0, 1, columns + n * size,
               to + n * tensor.batch_stride);
  }
}

template <typename S>
inline constexpr auto kUnfoldSpec = KernelSpec<S>();
template <typename T>
absl::Status UnfoldKernel(const CpuContext&, const DenseTensor& x,
                          absl::Span<const int> kernel_sizes,
                          absl::Span<const int> strides,
                          absl::Span<const int> paddings,
                          absl::Span<const int> dilations, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const VolumeWindows windows,
                      UnfoldWindows(x.extent(2), x.extent(3), kernel_sizes,
                                    strides, paddings, dilations));
  UnrollImages(x, windows, out->mutable_data<T>());
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kUnfoldGradSpec =
    KernelSpec<S>().Input(S::kX, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status UnfoldGradKernel(const CpuContext&, const DenseTensor& x,
                              const DenseTensor& out_grad,
                              absl::Span<const int> kernel_sizes,
                              absl::Span<const int> strides,
                              absl::Span<const int> paddings,
                              absl::Span<const int> dilations,
                              DenseTensor* x_grad) {
  SY_ASSIGN_OR_RETURN(const VolumeWindows windows,
                      UnfoldWindows(x.extent(2), x.extent(3), kernel_sizes,
                                    strides, paddings, dilations));
  FoldImages(out_grad.data<T>(), windows, x_grad);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kFoldSpec = KernelSpec<S>();
template <typename T>
absl::Status FoldKernel(const CpuContext&, const DenseTensor& x,
                        absl::Span<const int> output_sizes,
                        absl::Span<const int> kernel_sizes,
                        absl::Span<const int> strides,
                        absl::Span<const int> paddings,
                        absl::Span<const int> dilations, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(
      const VolumeWindows windows,
      UnfoldWindows(output_sizes[0], output_sizes[1], kernel_sizes, strides,
                    paddings, dilations));
  FoldImages(x.data<T>(), windows, out);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_VOLUME_VOLUME_H_
