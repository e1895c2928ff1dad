// SPDX-License-Identifier: Apache-2.0
// The kernels of conv2d_transpose and its gradient on the CPU: what
// conv_engine.h computes the other way round. The result is what the gradient
// of a convolution's input would be if x were that of its output.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_TRANSPOSE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_TRANSPOSE_H_

#include <algorithm>
#include <string_view>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/conv/conv.h"
#include "phi/kernels/cpu/conv/conv_engine.h"
#include "phi/kernels/cpu/conversion/items_in_float.h"

namespace switchyard::phi::kernels::cpu {

// Returns the geometry of the convolution of a result that has its channels
// first; so has x.
inline absl::StatusOr<ConvGeometry> MakeTransposedGeometry(
    const Shape& x, const Shape& filter, const Shape& out,
    const WindowAttrs& attrs, int groups) {
  ConvGeometry g;
  g.batch = x.extent(0);
  g.groups = groups;
  g.in_channels = filter.extent(1);
  g.out_channels = filter.extent(0) / groups;
  for (int axis = 0; axis < 2; ++axis) {
    WindowAxis& window = axis == 0 ? g.height : g.width;
    SY_ASSIGN_OR_RETURN(window,
                        ResolveTransposedWindow(attrs, axis, x.extent(2 + axis),
                                                filter.extent(2 + axis), "x"));
    // With what output_padding or output_size put after it.
    window.input = out.extent(2 + axis);
  }
  return g;
}

template <typename S>
inline constexpr auto kConv2dTransposeSpec =
    KernelSpec<S>().Layouts(DataLayout::kPermuted, &ConvLayouts);
template <typename T>
absl::Status Conv2dTransposeOf(const CpuContext& context, const DenseTensor& x,
                               const DenseTensor& filter,
                               absl::Span<const int> strides,
                               absl::Span<const int> paddings,
                               std::string_view padding_algorithm, int groups,
                               absl::Span<const int> dilations,
                               std::string_view data_format, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(
      const ConvGeometry g,
      MakeTransposedGeometry(
          ChannelsFirstShape(x.shape(), data_format), filter.shape(),
          ChannelsFirstShape(out->shape(), data_format),
          {strides, paddings, padding_algorithm, dilations}, groups));
  return ConvInputGrad(context.allocator(), g, filter.data<T>(), x.data<T>(),
                       out->mutable_data<T>());
}
template <typename T>
inline constexpr auto Conv2dTransposeKernel =
    KernelByItemsInFloat<T, &Conv2dTransposeOf<FloatFor<T>>, Batched(0, 8)>();

template <typename S>
inline constexpr auto kConv2dTransposeGradSpec =
    KernelSpec<S>().Layouts(DataLayout::kPermuted, &ConvLayouts);
template <typename T>
absl::Status Conv2dTransposeGradOf(
    const CpuContext& context, const DenseTensor& x, const DenseTensor& filter,
    const DenseTensor& out_grad, absl::Span<const int> strides,
    absl::Span<const int> paddings, std::string_view padding_algorithm,
    int groups, absl::Span<const int> dilations, std::string_view data_format,
    DenseTensor* x_grad, DenseTensor* filter_grad) {
  SY_ASSIGN_OR_RETURN(
      const ConvGeometry g,
      MakeTransposedGeometry(
          ChannelsFirstShape(x.shape(), data_format), filter.shape(),
          ChannelsFirstShape(out_grad.shape(), data_format),
          {strides, paddings, padding_algorithm, dilations}, groups));
  if (filter_grad != nullptr) {
    SY_RETURN_IF_ERROR(ConvFilterGrad(context.allocator(), g,
                                      out_grad.data<T>(), x.data<T>(),
                                      filter_grad->mutable_data<T>()));
  }
  if (x_grad == nullptr) return absl::OkStatus();
  return ConvForward(context.allocator(), g, out_grad.data<T>(),
                     filter.data<T>(), x_grad->mutable_data<T>());
}
template <typename T>
inline constexpr auto Conv2dTransposeGradKernel = KernelByItemsInFloat<
    T, &Conv2dTransposeGradOf<FloatFor<T>>, Batched(0, 2, 9)>();

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_TRANSPOSE_H_
