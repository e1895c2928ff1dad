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
#include "phi/core/signatures/conv2d_transpose.args.gen.h"
#include "phi/core/signatures/conv2d_transpose_grad.args.gen.h"
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
absl::Status Conv2dTransposeOf(const CpuContext& context,
                               const Conv2dTransposeArgs& args) {
  SY_ASSIGN_OR_RETURN(
      const ConvGeometry g,
      MakeTransposedGeometry(
          ChannelsFirstShape(args.x.shape(), args.data_format),
          args.filter.shape(),
          ChannelsFirstShape(args.out->shape(), args.data_format),
          {args.strides, args.paddings, args.padding_algorithm, args.dilations},
          args.groups));
  return ConvInputGrad(context.allocator(), g, args.filter.data<T>(),
                       args.x.data<T>(), args.out->mutable_data<T>());
}
template <typename T>
inline constexpr auto Conv2dTransposeKernel =
    KernelByItemsInFloat<T, &Conv2dTransposeOf<FloatFor<T>>, Batched(0, 8)>();

template <typename S>
inline constexpr auto kConv2dTransposeGradSpec =
    KernelSpec<S>().Layouts(DataLayout::kPermuted, &ConvLayouts);
template <typename T>
absl::Status Conv2dTransposeGradOf(const CpuContext& context,
                                   const Conv2dTransposeGradArgs& args) {
  SY_ASSIGN_OR_RETURN(
      const ConvGeometry g,
      MakeTransposedGeometry(
          ChannelsFirstShape(args.x.shape(), args.data_format),
          args.filter.shape(),
          ChannelsFirstShape(args.out_grad.shape(), args.data_format),
          {args.strides, args.paddings, args.padding_algorithm, args.dilations},
          args.groups));
  if (args.filter_grad != nullptr) {
    SY_RETURN_IF_ERROR(ConvFilterGrad(context.allocator(), g,
                                      args.out_grad.data<T>(), args.x.data<T>(),
                                      args.filter_grad->mutable_data<T>()));
  }
  if (args.x_grad == nullptr) return absl::OkStatus();
  return ConvForward(context.allocator(), g, args.out_grad.data<T>(),
                     args.filter.data<T>(), args.x_grad->mutable_data<T>());
}
template <typename T>
inline constexpr auto Conv2dTransposeGradKernel = KernelByItemsInFloat<
    T, &Conv2dTransposeGradOf<FloatFor<T>>, Batched(0, 2, 9)>();

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_TRANSPOSE_H_
