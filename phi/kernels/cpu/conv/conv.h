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
#include "phi/core/image_layouts.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/conv2d.args.gen.h"
#include "phi/core/signatures/conv2d_grad.args.gen.h"
#include "phi/kernels/cpu/conv/conv_blocks.h"
#include "phi/kernels/cpu/conv/conv_engine.h"
#include "phi/kernels/cpu/conversion/items_in_float.h"

namespace switchyard::phi::kernels::cpu {

// Returns the shape of an image with its axes as they lie in memory.
inline Shape ChannelsFirstShape(const Shape& s, std::string_view data_format) {
  return data_format == "NHWC" ? Shape({s[0], s[3], s[1], s[2]}) : s;
}

// Returns the geometry for an input whose channels come first.
inline absl::StatusOr<ConvGeometry> MakeGeometry(const Shape& input,
                                                 const Shape& filter,
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

// The layouts of planes, for all four operators: in memory the channels of
// images come first, whatever the order of their axes.
inline absl::Status ConvLayouts(const LayoutCall& call,
                                TensorLayouts* layouts) {
  TakeStrided(layouts);
  if (call.attrs.back().Get<std::string_view>() != "NHWC") {
    return absl::OkStatus();
  }
  layouts->inputs[0] = ChannelsFirst();
  if (layouts->inputs.size() > 2) layouts->inputs[2] = ChannelsFirst();
  layouts->outputs[0] = ChannelsFirst();
  return absl::OkStatus();
}

// Returns what ConvBlocks() would compute a forward call by; the batch may be
// unknown.
template <typename S>
BlockedConv BlockedConvOf(const LayoutCall& call) {
  using Ints = absl::Span<const int>;
  Shape input = ChannelsFirstShape(
      *call.inputs[S::kInput],
      call.attrs[S::kDataFormat].template Get<std::string_view>());
  const Shape& filter = *call.inputs[S::kFilter];
  input[0] = 1;
  if (!input.known() || !filter.known()) return BlockedConv::kNone;
  const auto g = MakeGeometry(
      input, filter,
      {call.attrs[S::kStrides].template Get<Ints>(),
       call.attrs[S::kPaddings].template Get<Ints>(),
       call.attrs[S::kPaddingAlgorithm].template Get<std::string_view>(),
       call.attrs[S::kDilations].template Get<Ints>()},
      call.attrs[S::kGroups].template Get<int>());
  return g.ok() ? BlockedConvOf(*g) : BlockedConv::kNone;
}

// Blocks of channels are convolved as they come where ConvBlocks() can, with a
// filter that is blocked too.
template <typename S>
absl::Status ForwardLayouts(const LayoutCall& call, TensorLayouts* layouts) {
  const auto format =
      call.attrs[S::kDataFormat].template Get<std::string_view>();
  const int64_t block = ChannelBlock(layouts->inputs[S::kInput], format);
  if (block == 8 || block == 16) {
    const BlockedConv kind = BlockedConvOf<S>(call);
    if (kind != BlockedConv::kNone) {
      layouts->inputs[S::kFilter] = BlockedFilter(kind, block);
      layouts->outputs[0] = layouts->inputs[S::kInput];
      return absl::OkStatus();
    }
  }
  return ConvLayouts(call, layouts);
}

template <typename S>
inline constexpr auto kConv2dSpec =
    KernelSpec<S>().Layouts(DataLayout::kPermuted, &ForwardLayouts<S>);
template <typename T>
absl::Status Conv2dOf(const CpuContext& context, const Conv2dArgs& args) {
  SY_ASSIGN_OR_RETURN(
      const ConvGeometry g,
      MakeGeometry(
          ChannelsFirstShape(args.input.shape(), args.data_format),
          args.filter.shape(),
          {args.strides, args.paddings, args.padding_algorithm, args.dilations},
          args.groups));
  if (const int64_t block =
          ChannelBlock(args.input.layout(), args.data_format)) {
    return ConvBlocks(context.allocator(), g, block, args.input.data<T>(),
                      args.filter.data<T>(), args.out->mutable_data<T>());
  }
  return ConvForward(context.allocator(), g, args.input.data<T>(),
                     args.filter.data<T>(), args.out->mutable_data<T>());
}
template <typename T>
inline constexpr auto Conv2dKernel =
    KernelByItemsInFloat<T, &Conv2dOf<FloatFor<T>>, Batched(0, 8)>();

template <typename S>
inline constexpr auto kDepthwiseConv2dSpec =
    KernelSpec<S>().Layouts(DataLayout::kPermuted, &ForwardLayouts<S>);
template <typename T>
inline constexpr auto DepthwiseConv2dKernel = Conv2dKernel<T>;

template <typename S>
inline constexpr auto kConv2dGradSpec =
    KernelSpec<S>().Layouts(DataLayout::kPermuted, &ConvLayouts);
template <typename T>
absl::Status Conv2dGradOf(const CpuContext& context,
                          const Conv2dGradArgs& args) {
  SY_ASSIGN_OR_RETURN(
      const ConvGeometry g,
      MakeGeometry(
          ChannelsFirstShape(args.input.shape(), args.data_format),
          args.filter.shape(),
          {args.strides, args.paddings, args.padding_algorithm, args.dilations},
          args.groups));
  if (args.filter_grad != nullptr) {
    SY_RETURN_IF_ERROR(ConvFilterGrad(
        context.allocator(), g, args.input.data<T>(), args.out_grad.data<T>(),
        args.filter_grad->mutable_data<T>()));
  }
  if (args.input_grad == nullptr) return absl::OkStatus();
  return ConvInputGrad(context.allocator(), g, args.filter.data<T>(),
                       args.out_grad.data<T>(),
                       args.input_grad->mutable_data<T>());
}
template <typename T>
inline constexpr auto Conv2dGradKernel =
    KernelByItemsInFloat<T, &Conv2dGradOf<FloatFor<T>>, Batched(0, 2, 9)>();

template <typename S>
inline constexpr auto kDepthwiseConv2dGradSpec =
    KernelSpec<S>().Layouts(DataLayout::kPermuted, &ConvLayouts);
template <typename T>
inline constexpr auto DepthwiseConv2dGradKernel = Conv2dGradKernel<T>;

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_H_
