// SPDX-License-Identifier: Apache-2.0
// The kernels of conv2d, depthwise_conv2d and their gradients on the CPU:
// attributes and formats. The arithmetic is conv_engine.h's.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_H_
#define SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_H_

#include <algorithm>
#include <string_view>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/conv/conv_engine.h"

namespace switchyard::phi::kernels::cpu {

// The layouts of all four operators: in memory the channels of images come
// first, whatever the order of their axes.
inline absl::Status ConvLayouts(const LayoutCall& call,
                                TensorLayouts* layouts) {
  if (call.attrs.back().Get<std::string_view>() != "NHWC") {
    return absl::OkStatus();
  }
  const LayoutDescriptor channels_first =
      *LayoutDescriptor::Make({0, 3, 1, 2}, {});
  layouts->inputs[0] = channels_first;
  if (layouts->inputs.size() > 2) layouts->inputs[2] = channels_first;
  layouts->outputs[0] = channels_first;
  return absl::OkStatus();
}

// Returns the shape of an image with its axes as they lie in memory.
inline Shape ChannelsFirstShape(const Shape& s, std::string_view data_format) {
  return data_format == "NHWC" ? Shape({s[0], s[3], s[1], s[2]}) : s;
}

// Returns the geometry for an input whose channels come first.
inline absl::StatusOr<ConvGeometry> GeometryOf(const Shape& input,
                                               const DenseTensor& filter,
                                               const WindowAttrs& attrs,
                                               int groups) {
  ConvGeometry g;
  g.batch = input.extent(0);
  g.groups = groups;
  g.in_channels = filter.extent(1);
  g.out_channels = filter.extent(0) / groups;
  SY_ASSIGN_OR_RETURN(g.height, ResolveWindow(attrs, 0, input.extent(2),
                                              filter.extent(2), "filter"));
  SY_ASSIGN_OR_RETURN(g.width, ResolveWindow(attrs, 1, input.extent(3),
                                             filter.extent(3), "filter"));
  return g;
}

template <typename S>
inline constexpr auto kConv2dSpec =
    KernelSpec<S>().Layouts(DataLayout::kPermuted, &ConvLayouts);
template <typename T>
absl::Status Conv2dKernel(const CpuContext& context, const DenseTensor& input,
                          const DenseTensor& filter,
                          absl::Span<const int> strides,
                          absl::Span<const int> paddings,
                          std::string_view padding_algorithm,
                          absl::Span<const int> dilations, int groups,
                          std::string_view data_format, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(
      const ConvGeometry g,
      GeometryOf(ChannelsFirstShape(input.shape(), data_format), filter,
                 {strides, paddings, padding_algorithm, dilations}, groups));
  return ConvForward(context.allocator(), g, input.data<T>(), filter.data<T>(),
                     out->mutable_data<T>());
}

template <typename S>
inline constexpr auto kDepthwiseConv2dSpec =
    KernelSpec<S>().Layouts(DataLayout::kPermuted, &ConvLayouts);
template <typename T>
inline constexpr auto DepthwiseConv2dKernel = &Conv2dKernel<T>;

template <typename S>
inline constexpr auto kConv2dGradSpec =
    KernelSpec<S>().Layouts(DataLayout::kPermuted, &ConvLayouts);
template <typename T>
absl::Status Conv2dGradKernel(
    const CpuContext& context, const DenseTensor& input,
    const DenseTensor& filter, const DenseTensor& out_grad,
    absl::Span<const int> strides, absl::Span<const int> paddings,
    std::string_view padding_algorithm, absl::Span<const int> dilations,
    int groups, std::string_view data_format, DenseTensor* input_grad,
    DenseTensor* filter_grad) {
  SY_ASSIGN_OR_RETURN(
      const ConvGeometry g,
      GeometryOf(ChannelsFirstShape(input.shape(), data_format), filter,
                 {strides, paddings, padding_algorithm, dilations}, groups));
  if (filter_grad != nullptr) {
    SY_RETURN_IF_ERROR(ConvFilterGrad(context.allocator(), g, input.data<T>(),
                                      out_grad.data<T>(),
                                      filter_grad->mutable_data<T>()));
  }
  if (input_grad == nullptr) return absl::OkStatus();
  return ConvInputGrad(context.allocator(), g, filter.data<T>(),
                       out_grad.data<T>(), input_grad->mutable_data<T>());
}

template <typename S>
inline constexpr auto kDepthwiseConv2dGradSpec =
    KernelSpec<S>().Layouts(DataLayout::kPermuted, &ConvLayouts);
template <typename T>
inline constexpr auto DepthwiseConv2dGradKernel = &Conv2dGradKernel<T>;

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_H_
