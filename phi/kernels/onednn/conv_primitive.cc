// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/onednn/conv_primitive.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "phi/core/image_layouts.h"
#include "phi/kernels/onednn/image.h"
#include "phi/kernels/onednn/image_split.h"
#include "phi/kernels/onednn/layouts.h"

namespace switchyard::phi::kernels::onednn {

using dnnl::algorithm;

namespace {

using Primitive = dnnl::convolution_forward::primitive_desc;

// The description of one number, for all elements of an image.
dnnl::memory::desc NumberDesc() {
  return dnnl::memory::desc({1, 1, 1, 1}, dnnl::memory::data_type::f32,
                            dnnl::memory::format_tag::abcd);
}

// One call, resolved.
struct OnednnConv {
  dnnl::memory::desc input, filter, bias, out;
  WindowAxis height, width;
  OnednnEpilogue epilogue;

  Primitive Describe(const dnnl::engine& engine) const {
    dnnl::post_ops ops;
    if (epilogue.residual) ops.append_binary(algorithm::binary_add, out);
    AppendPostOp(epilogue, &ops);
    if (epilogue.out_scale) {
      ops.append_binary(algorithm::binary_mul, NumberDesc());
    }
    if (epilogue.out_shift) {
      ops.append_binary(algorithm::binary_add, NumberDesc());
    }
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    attr.set_post_ops(ops);
    return Primitive(
        dnnl::convolution_forward::desc(
            dnnl::prop_kind::forward_inference, algorithm::convolution_direct,
            input, filter, bias, out, {height.stride, width.stride},
            {height.dilation - 1, width.dilation - 1},
            {height.before, width.before}, {height.after, width.after}),
        attr, engine);
  }
};

// The primitive with an argument for each buffer: input, filter, output, then
// what there is of bias, residual, scale and shift.
OnednnPrimitive MakePrimitive(const OnednnConv& conv,
                              const dnnl::engine& engine) {
  const Primitive primitive = conv.Describe(engine);
  OnednnPrimitive made{
      dnnl::convolution_forward(primitive),
      {{DNNL_ARG_SRC, conv.input},
       {DNNL_ARG_WEIGHTS, conv.filter},
       {DNNL_ARG_DST, conv.out}},
      static_cast<int64_t>(primitive.scratchpad_desc().get_size())};
  const auto add = [&made](int step, const dnnl::memory::desc& desc) {
    made.arguments.push_back(
        {DNNL_ARG_ATTR_MULTIPLE_POST_OP(step) | DNNL_ARG_SRC_1, desc});
  };
  const OnednnEpilogue& epilogue = conv.epilogue;
  if (epilogue.bias) made.arguments.push_back({DNNL_ARG_BIAS, conv.bias});
  const int steps = primitive.get_primitive_attr().get_post_ops().len();
  if (epilogue.residual) add(0, conv.out);
  if (epilogue.out_scale) {
    add(steps - (epilogue.out_shift ? 2 : 1), NumberDesc());
  }
  if (epilogue.out_shift) add(steps - 1, NumberDesc());
  return made;
}

absl::Status Resolve(const Shape& input, const Shape& filter,
                     const OnednnConvAttrs& attrs, OnednnConv* conv) {
  const int height = attrs.data_format == "NHWC" ? 1 : 2;
  SY_ASSIGN_OR_RETURN(conv->height,
                      ResolveWindow(attrs.window, 0, input.extent(height),
                                    filter.extent(2), "filter"));
  SY_ASSIGN_OR_RETURN(conv->width,
                      ResolveWindow(attrs.window, 1, input.extent(height + 1),
                                    filter.extent(3), "filter"));
  conv->epilogue = attrs.epilogue;
  if (attrs.epilogue.bias) {
    conv->bias = MakeDesc(Shape({filter[0]}), LayoutDescriptor(), SameAxes(1));
  }
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

// The shapes of a call, by the tensors' own axes, and how these map.
struct ConvShapes {
  Shape input, filter, out;
  OnednnAxes image, weights;

  void Describe(const TensorLayouts& layouts, OnednnConv* conv) const {
    conv->input = MakeDesc(input, layouts.inputs[0], image);
    conv->filter = MakeDesc(filter, layouts.inputs[1], weights);
    conv->out = MakeDesc(out, layouts.outputs[0], image);
  }
};

// Fills in the layouts that oneDNN chooses where the call leaves them open.
absl::Status AskLayouts(const OnednnConv& conv, const ConvShapes& shapes,
                        TensorLayouts* layouts) {
  return AskOnednn([&](const dnnl::engine& engine) {
    const Primitive primitive = conv.Describe(engine);
    if (HasSteps(conv.epilogue) && IsPlain(primitive.impl_info_str())) {
      return absl::UnavailableError(
          "oneDNN has no code of its own for this epilogue");
    }
    SY_ASSIGN_OR_RETURN(layouts->inputs[0],
                        GetLayout(primitive.src_desc(), shapes.image));
    SY_ASSIGN_OR_RETURN(layouts->inputs[1],
                        GetLayout(primitive.weights_desc(), shapes.weights));
    SY_ASSIGN_OR_RETURN(layouts->outputs[0],
                        GetLayout(primitive.dst_desc(), shapes.image));
    OnednnConv fixed = conv;
    shapes.Describe(*layouts, &fixed);
    const bool same = fixed.input == primitive.src_desc() &&
                      fixed.filter == primitive.weights_desc() &&
                      fixed.out == primitive.dst_desc();
    // Strides may differ at axes of one element, to which some of its code
    // gives weight.
    if (!same && std::string_view(fixed.Describe(engine).impl_info_str()) !=
                     primitive.impl_info_str()) {
      return absl::UnavailableError(
          "oneDNN has other code for the layouts that it chose");
    }
    return absl::OkStatus();
  });
}

// Returns whether this implementation unfolds images to multiply matrices, by
// plain code or by code that oneDNN compiles for the CPU.
bool IsGemm(std::string_view implementation) {
  return implementation.substr(0, 4) == "gemm" ||
         implementation.substr(0, 8) == "x64:gemm";
}

}  // namespace

bool IsPlain(std::string_view implementation) {
  return implementation.substr(0, 3) == "ref" ||
         implementation.substr(0, 4) == "gemm";
}

absl::Status OnednnConvLayouts(const Shape& input, const Shape& filter,
                               const OnednnConvAttrs& attrs,
                               TensorLayouts* layouts) {
  OnednnConv conv;
  SY_RETURN_IF_ERROR(Resolve(input, filter, attrs, &conv));
  Shape one = input;
  one[0] = 1;
  const ConvShapes shapes = {one, filter, OutShape(one, filter, attrs, conv),
                             ImageAxes(attrs.data_format), FilterAxes(attrs)};
  const int64_t from = one.extent(1), to = shapes.out.extent(1);
  const int64_t block = OnednnConvBlock(from, to);
  conv.filter = MakeAnyDesc(filter, shapes.weights);
  // Blocks of channels first: oneDNN's newest kernels want the channels last,
  // which nothing else here takes of such an image, so that between them every
  // value would be reordered.
  if (attrs.data_format != "NHWC" && to >= block) {
    const LayoutDescriptor blocked = BlockedImage(block, attrs.data_format);
    conv.input = MakeDesc(one, from >= block ? blocked : LayoutDescriptor(),
                          shapes.image);
    conv.out = MakeDesc(shapes.out, blocked, shapes.image);
    TensorLayouts in_blocks = *layouts;
    if (AskLayouts(conv, shapes, &in_blocks).ok()) {
      *layouts = in_blocks;
      return absl::OkStatus();
    }
  }
  conv.input = MakeAnyDesc(one, shapes.image);
  conv.out = MakeAnyDesc(shapes.out, shapes.image);
  // A tensor that is added lies as the output does, wherever that is.
  conv.epilogue.residual = false;
  SY_RETURN_IF_ERROR(AskLayouts(conv, shapes, layouts));
  if (!attrs.epilogue.residual) return absl::OkStatus();
  conv.epilogue.residual = true;
  shapes.Describe(*layouts, &conv);
  return AskLayouts(conv, shapes, layouts);
}

namespace {

// A call: its tensors, and the whole convolution.
struct ConvCall {
  const DenseTensor& input;
  const DenseTensor& filter;
  const DenseTensor& out;
  const OnednnConvAttrs& attrs;
  OnednnConv whole;

  // Returns the convolution of some images, for some channels of the results or
  // some of their rows.
  OnednnConv Part(int64_t batch, int64_t channels,
                  const WindowAxis& height) const {
    const bool last = attrs.data_format == "NHWC";
    OnednnConvAttrs part_attrs = attrs;
    Shape part_input = input.shape(), part_filter = filter.shape();
    Shape part_out = out.shape();
    part_input[0] = part_out[0] = batch;
    part_input[last ? 1 : 2] = height.input;
    part_out[last ? 1 : 2] = height.output;
    part_filter[0] = part_out[last ? 3 : 1] = channels;
    if (attrs.groups > 1 && channels != filter.extent(0)) {
      // Each result is of a channel of its own.
      part_input[last ? 3 : 1] = channels;
      part_attrs.groups = static_cast<int>(channels);
    }
    const OnednnAxes image = ImageAxes(attrs.data_format);
    OnednnConv part = whole;
    part.height = height;
    part.input = MakeDesc(part_input, input.layout(), image);
    part.filter =
        MakeDesc(part_filter, filter.layout(), FilterAxes(part_attrs));
    part.out = MakeDesc(part_out, out.layout(), image);
    if (attrs.epilogue.bias) {
      part.bias = MakeDesc(Shape({channels}), LayoutDescriptor(), SameAxes(1));
    }
    return part;
  }
};

// Some 40 multiplications and additions a nanosecond.
double SumsMicroseconds(const DenseTensor& filter, int64_t results) {
  const auto each = static_cast<double>(filter.numel() / filter.extent(0));
  return each * static_cast<double>(results) / 40e3;
}

// Writing takes the time of 16 of them, and vectors of channels are whole.
ImageWork ConvWork(const DenseTensor& filter, const DenseTensor& out) {
  const int64_t channels = filter.extent(0), vector = OnednnChannelBlock();
  const int64_t results =
      out.numel() / channels * ((channels + vector - 1) / vector * vector);
  ImageWork work;
  work.microseconds = SumsMicroseconds(filter, results) +
                      16 * static_cast<double>(results) / 40e3;
  work.least_microseconds = 15;
  return work;
}

// Returns how the call is cut, with a buffer for each argument of the
// primitive. Only its images are shared out where oneDNN multiplies matrices:
// how it sums there depends on their extents.
ImageSplit SplitConv(const ConvCall& call, const OnednnEpilogueTensors& tensors,
                     bool is_gemm, void* out) {
  const OnednnConv& conv = call.whole;
  const int64_t channels = call.filter.extent(0);
  const bool depthwise =
      call.attrs.groups == channels && conv.input.dims()[1] == channels;
  // With other groups, a range of the results would need one of the input.
  const bool in_ranges = !is_gemm && (call.attrs.groups == 1 || depthwise);
  // Sums over one block of channels are never cut.
  const bool one_block = call.filter.extent(1) <= OnednnChannelBlock();
  absl::InlinedVector<SplitTensor, 8> arguments = {
      {const_cast<void*>(call.input.raw_data()), conv.input, 0,
       depthwise ? 1 : -1, /*has_windows=*/true},
      {const_cast<void*>(call.filter.raw_data()), conv.filter, -1, 0},
      {out, conv.out, 0, 1}};
  const auto add = [&](const DenseTensor* tensor, const auto& desc,
                       int batch_axis, int channel_axis) {
    if (tensor == nullptr) return;
    arguments.push_back({const_cast<void*>(tensor->raw_data()), desc,
                         batch_axis, channel_axis});
  };
  add(tensors.bias, conv.bias, -1, 0);
  add(tensors.residual, conv.out, 0, 1);
  add(tensors.out_scale, NumberDesc(), -1, -1);
  add(tensors.out_shift, NumberDesc(), -1, -1);
  // How oneDNN cuts longer sums of 1 x 1 filters depends on the results, and
  // with it the bits. One thread loses little with few parts.
  const bool always =
      !one_block && conv.height.kernel == 1 && conv.width.kernel == 1;
  ImageWork work = ConvWork(call.filter, call.out);
  if (always) work = {SumsMicroseconds(call.filter, call.out.numel())};
  // With fewer vectors of channels, sums wait for loads.
  work.least_channels = (depthwise ? 1 : 3) * OnednnChannelBlock();
  ImageSplit split =
      SplitImages(call.input.extent(0), in_ranges ? channels : 1, work,
                  arguments, one_block && !is_gemm ? &conv.height : nullptr);
  if (always) {
    split.split.always = true;
    split.split.parts = std::min<int64_t>(split.split.parts, 4);
  }
  return split;
}

// All that a call depends on but its data.
OnednnKey CallKey(const char* op, const DenseTensor& input,
                  const DenseTensor& filter, const DenseTensor& out,
                  const OnednnConvAttrs& attrs) {
  OnednnKey key{op, {}};
  std::vector<int64_t>& numbers = key.numbers;
  numbers.reserve(40);
  for (int axis = 0; axis < 4; ++axis) {
    numbers.push_back(input.extent(axis));
    numbers.push_back(filter.extent(axis));
  }
  for (const DenseTensor* tensor : {&input, &filter, &out}) {
    numbers.push_back(tensor->layout().number());
  }
  numbers.push_back(attrs.data_format == "NHWC");
  numbers.push_back(attrs.groups);
  const WindowAttrs& window = attrs.window;
  // EXPLICIT, WHOLE, SAME or VALID.
  const std::string_view padding = window.padding_algorithm;
  numbers.push_back(padding.empty() ? 0 : padding[0]);
  for (const absl::Span<const int> list :
       {window.strides, window.paddings, window.dilations}) {
    numbers.push_back(static_cast<int64_t>(list.size()));
    numbers.insert(numbers.end(), list.begin(), list.end());
  }
  AppendTo(&key, attrs.epilogue);
  return key;
}

}  // namespace

absl::Status RunOnednnConv(const OnednnContext& context, const char* op,
                           const DenseTensor& input, const DenseTensor& filter,
                           const OnednnConvAttrs& attrs,
                           const OnednnEpilogueTensors& tensors,
                           DenseTensor* out) {
  if (input.extent(0) == 0) return absl::OkStatus();
  ConvCall call = {input, filter, *out, attrs, {}};
  ImageSplit split;
  const int64_t channels = filter.extent(0);
  const auto describe = [&]() -> absl::StatusOr<OnednnCall> {
    OnednnConv& conv = call.whole;
    SY_RETURN_IF_ERROR(Resolve(input.shape(), filter.shape(), attrs, &conv));
    const OnednnAxes image = ImageAxes(attrs.data_format);
    conv.input = MakeDesc(input, image);
    conv.filter = MakeDesc(filter, FilterAxes(attrs));
    conv.out = MakeDesc(*out, image);
    split = SplitConv(call, tensors, false, out->mutable_data<void>());
    if (split.axis != ImageSplit::Axis::kImages) {
      SY_RETURN_IF_ERROR(AskOnednn([&](const dnnl::engine& engine) {
        if (IsGemm(conv.Describe(engine).impl_info_str())) {
          split = SplitConv(call, tensors, true, out->mutable_data<void>());
        }
        return absl::OkStatus();
      }));
    }
    OnednnKey key{op,
                  {attrs.data_format == "NHWC", attrs.groups,
                   static_cast<int64_t>(split.axis)}};
    AppendTo(&key, conv.height);
    AppendTo(&key, conv.width);
    key.numbers.insert(key.numbers.end(),
                       {conv.input.dims()[1], channels, input.layout().number(),
                        filter.layout().number(), out->layout().number()});
    AppendTo(&key, attrs.epilogue);
    return OnednnCall{std::move(key), split.split, split.buffers};
  };
  absl::InlinedVector<void*, 8> data = {const_cast<void*>(input.raw_data()),
                                        const_cast<void*>(filter.raw_data()),
                                        out->mutable_data<void>()};
  for (const DenseTensor* tensor :
       {tensors.bias, tensors.residual, tensors.out_scale, tensors.out_shift}) {
    if (tensor != nullptr)
      data.push_back(const_cast<void*>(tensor->raw_data()));
  }
  return context.ExecuteKept(
      CallKey(op, input, filter, *out, attrs), describe,
      [&](const dnnl::engine& engine, const OnednnPart& part) {
        return MakePrimitive(
            call.Part(split.Batch(part), split.Channels(part, channels),
                      split.Rows(part, call.whole.height)),
            engine);
      },
      data);
}

}  // namespace switchyard::phi::kernels::onednn
