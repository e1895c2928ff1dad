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
#include "phi/kernels/cpu/conv/channels_first.h"
#include "phi/kernels/cpu/conv/conv_engine.h"

namespace switchyard::phi::kernels::cpu {

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
inline constexpr auto kConv2dSpec = KernelSpec<S>();
template <typename T>
absl::Status Conv2dKernel(const CpuContext& context, const DenseTensor& input,
                          const DenseTensor& filter,
                          absl::Span<const int> strides,
                          absl::Span<const int> paddings,
                          std::string_view padding_algorithm,
                          absl::Span<const int> dilations, int groups,
                          std::string_view data_format, DenseTensor* out) {
  DenseTensor x = input;
  if (data_format == "NHWC") {
    SY_ASSIGN_OR_RETURN(x, ChannelsFirst(context, input));
  }
  SY_ASSIGN_OR_RETURN(
      const ConvGeometry g,
      GeometryOf(x.shape(), filter,
                 {strides, paddings, padding_algorithm, dilations}, groups));
  ChannelsFirstResult result(out, data_format);
  SY_RETURN_IF_ERROR(result.Prepare(context));
  SY_RETURN_IF_ERROR(ConvForward(context.allocator(), g, x.data<T>(),
                                 filter.data<T>(),
                                 result.tensor().template mutable_data<T>()));
  result.Finish();
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kDepthwiseConv2dSpec = KernelSpec<S>();
template <typename T>
inline constexpr auto DepthwiseConv2dKernel = &Conv2dKernel<T>;

template <typename S>
inline constexpr auto kConv2dGradSpec = KernelSpec<S>();
template <typename T>
absl::Status Conv2dGradKernel(
    const CpuContext& context, const DenseTensor& input,
    const DenseTensor& filter, const DenseTensor& out_grad,
    absl::Span<const int> strides, absl::Span<const int> paddings,
    std::string_view padding_algorithm, absl::Span<const int> dilations,
    int groups, std::string_view data_format, DenseTensor* input_grad,
    DenseTensor* filter_grad) {
  DenseTensor x = input, dy = out_grad;
  if (data_format == "NHWC") {
    SY_ASSIGN_OR_RETURN(x, ChannelsFirst(context, input));
    SY_ASSIGN_OR_RETURN(dy, ChannelsFirst(context, out_grad));
  }
  SY_ASSIGN_OR_RETURN(
      const ConvGeometry g,
      GeometryOf(x.shape(), filter,
                 {strides, paddings, padding_algorithm, dilations}, groups));
  if (filter_grad != nullptr) {
    SY_RETURN_IF_ERROR(ConvFilterGrad(context.allocator(), g, x.data<T>(),
                                      dy.data<T>(),
                                      filter_grad->mutable_data<T>()));
  }
  if (input_grad == nullptr) return absl::OkStatus();
  ChannelsFirstResult result(input_grad, data_format);
  SY_RETURN_IF_ERROR(result.Prepare(context));
  SY_RETURN_IF_ERROR(ConvInputGrad(context.allocator(), g, filter.data<T>(),
                                   dy.data<T>(),
                                   result.tensor().template mutable_data<T>()));
  result.Finish();
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kDepthwiseConv2dGradSpec = KernelSpec<S>();
template <typename T>
inline constexpr auto DepthwiseConv2dGradKernel = &Conv2dGradKernel<T>;

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_H_
