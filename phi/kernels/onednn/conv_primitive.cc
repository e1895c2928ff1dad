// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/onednn/conv_primitive.h"

#include <utility>

#include "phi/core/image_layouts.h"
#include "phi/kernels/onednn/image.h"
#include "phi/kernels/onednn/layouts.h"

namespace switchyard::phi::kernels::onednn {
namespace {

using Primitive = dnnl::convolution_forward::primitive_desc;

// One call, resolved.
struct OnednnConv {
  dnnl::memory::desc input, filter, out;
  WindowAxis height, width;

  Primitive Describe(const dnnl::engine& engine) const {
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    return Primitive(
        dnnl::convolution_forward::desc(
            dnnl::prop_kind::forward_inference,
            dnnl::algorithm::convolution_direct, input, filter, out,
            {height.stride, width.stride},
            {height.dilation - 1, width.dilation - 1},
            {height.before, width.before}, {height.after, width.after}),
        attr, engine);
  }
};

absl::Status Resolve(const Shape& input, const Shape& filter,
                     const OnednnConvAttrs& attrs, OnednnConv* conv) {
  const int height = attrs.data_format == "NHWC" ? 1 : 2;
  SY_ASSIGN_OR_RETURN(conv->height,
                      ResolveWindow(attrs.window, 0, input.extent(height),
                                    filter.extent(2), "filter"));
  SY_ASSIGN_OR_RETURN(conv->width,
                      ResolveWindow(attrs.window, 1, input.extent(height + 1),
                                    filter.extent(3), "filter"));
  return absl::OkStatus();
}

OnednnAxes FilterAxes(const OnednnConvAttrs& attrs) {
  OnednnAxes axes = SameAxes(4);
  axes.groups = attrs.groups;
  return axes;
}

Shape OutShape(const Shape& input, const Shape& filter,
               const OnednnConvAttrs& attrs, const OnednnConv& conv) {
  const Dim batch = input[0], channels = filter[0];
  const Dim height(conv.height.output), width(conv.width.output);
  if (attrs.data_format == "NHWC") {
    return Shape({batch, height, width, channels});
  }
  return Shape({batch, channels, height, width});
}

// Fills in the layouts that oneDNN chooses where the call leaves them open.
absl::Status AskLayouts(const OnednnConv& conv, const OnednnAxes& image,
                        const OnednnAxes& weights, TensorLayouts* layouts) {
  return AskOnednn([&](const dnnl::engine& engine) {
    const Primitive primitive = conv.Describe(engine);
    SY_ASSIGN_OR_RETURN(layouts->inputs[0],
                        GetLayout(primitive.src_desc(), image));
    SY_ASSIGN_OR_RETURN(layouts->inputs[1],
                        GetLayout(primitive.weights_desc(), weights));
    SY_ASSIGN_OR_RETURN(layouts->outputs[0],
                        GetLayout(primitive.dst_desc(), image));
    return absl::OkStatus();
  });
}

}  // namespace

absl::Status OnednnConvLayouts(const Shape& input, const Shape& filter,
                               const OnednnConvAttrs& attrs,
                               TensorLayouts* layouts) {
  OnednnConv conv;
  SY_RETURN_IF_ERROR(Resolve(input, filter, attrs, &conv));
  const OnednnAxes image = ImageAxes(attrs.data_format);
  const OnednnAxes weights = FilterAxes(attrs);
  Shape one = input;
  one[0] = 1;
  conv.input = MakeAnyDesc(one, image);
  conv.filter = MakeAnyDesc(filter, weights);
  const Shape out = OutShape(one, filter, attrs, conv);
  conv.out = MakeAnyDesc(out, image);
  SY_RETURN_IF_ERROR(AskLayouts(conv, image, weights, layouts));
  const int64_t block = OnednnChannelBlock();
  if (attrs.data_format == "NHWC" || out.extent(1) < block ||
      layouts->outputs[0].strided() || layouts->outputs[0].num_blocks() > 0) {
    return absl::OkStatus();
  }
  // oneDNN's newest kernels want the channels last, which nothing else here
  // takes of such an image: between them every value would be reordered.
  const LayoutDescriptor blocked = BlockedImage(block, attrs.data_format);
  const bool enough = one.extent(1) >= block;
  conv.input = MakeDesc(one, enough ? blocked : LayoutDescriptor(), image);
  conv.out = MakeDesc(out, blocked, image);
  TensorLayouts in_blocks = *layouts;
  if (AskLayouts(conv, image, weights, &in_blocks).ok()) *layouts = in_blocks;
  return absl::OkStatus();
}

absl::Status RunOnednnConv(const OnednnContext& context, const char* op,
                           const DenseTensor& input, const DenseTensor& filter,
                           const OnednnConvAttrs& attrs, DenseTensor* out) {
  if (input.extent(0) == 0) return absl::OkStatus();
  OnednnConv conv;
  SY_RETURN_IF_ERROR(Resolve(input.shape(), filter.shape(), attrs, &conv));
  const OnednnAxes image = ImageAxes(attrs.data_format);
  conv.input = MakeDesc(input, image);
  conv.filter = MakeDesc(filter, FilterAxes(attrs));
  conv.out = MakeDesc(*out, image);
  OnednnKey key{op, {attrs.data_format == "NHWC", attrs.groups}};
  AppendTo(&key, conv.height);
  AppendTo(&key, conv.width);
  key.numbers.insert(key.numbers.end(),
                     {conv.input.dims()[0], conv.input.dims()[1],
                      filter.extent(0), input.layout().number(),
                      filter.layout().number(), out->layout().number()});
  void* const buffers[] = {const_cast<void*>(input.raw_data()),
                           const_cast<void*>(filter.raw_data()),
                           out->mutable_data<void>()};
  return context.Execute(
      std::move(key),
      [&](const dnnl::engine& engine) -> OnednnPrimitive {
        const Primitive primitive = conv.Describe(engine);
        return {dnnl::convolution_forward(primitive),
                {{DNNL_ARG_SRC, conv.input},
                 {DNNL_ARG_WEIGHTS, conv.filter},
                 {DNNL_ARG_DST, conv.out}},
                static_cast<int64_t>(primitive.scratchpad_desc().get_size())};
      },
      buffers);
}

}  // namespace switchyard::phi::kernels::onednn
