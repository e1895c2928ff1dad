// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/onednn/conv_int8.h"

#include <cstring>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "phi/core/signatures/conv2d_int8.gen.h"
#include "phi/kernels/onednn/image.h"
#include "phi/kernels/onednn/layouts.h"

namespace switchyard::phi::kernels::onednn {
namespace {

using dnnl::algorithm;
using Desc = dnnl::memory::desc;
using Primitive = dnnl::convolution_forward::primitive_desc;
using Tag = dnnl::memory::format_tag;
using Type = dnnl::memory::data_type;

// The least number that quantize_int8 yields; the type has one more.
constexpr float kLeast = -127;

Desc FloatDesc(int64_t channels) {
  return Desc({1, channels, 1, 1}, Type::f32, Tag::nchw);
}

// One call, resolved.
struct Int8Conv {
  Desc input, filter, out;
  int64_t channels;
  WindowAxis height, width;
  OnednnEpilogue epilogue;  // Its scale and shift are not used.
  bool to_int8;

  Primitive Describe(const dnnl::engine& engine) const {
    dnnl::post_ops ops;
    ops.append_binary(algorithm::binary_mul, FloatDesc(channels));
    if (epilogue.bias) {
      ops.append_binary(algorithm::binary_add, FloatDesc(channels));
    }
    if (epilogue.residual) {
      ops.append_binary(algorithm::binary_add,
                        Desc(out.dims(), Type::f32, Tag::nhwc));
    }
    AppendPostOp(epilogue, &ops);
    if (to_int8) {
      ops.append_binary(algorithm::binary_mul, FloatDesc(1));
      // Not eltwise_clip: oneDNN 2.6 gives a second one the bounds of the
      // first.
      ops.append_binary(algorithm::binary_max, FloatDesc(1));
    }
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    attr.set_post_ops(ops);
    return Primitive(
        dnnl::convolution_forward::desc(
            dnnl::prop_kind::forward_inference, algorithm::convolution_direct,
            input, filter, out, {height.stride, width.stride},
            {height.dilation - 1, width.dilation - 1},
            {height.before, width.before}, {height.after, width.after}),
        attr, engine);
  }
};

absl::StatusOr<Int8Conv> Resolve(const Shape& input, const Shape& filter,
                                 const OnednnConvAttrs& attrs, bool to_int8) {
  Int8Conv conv;
  SY_ASSIGN_OR_RETURN(conv.height,
                      ResolveWindow(attrs.window, 0, input.extent(2),
                                    filter.extent(2), "filter"));
  SY_ASSIGN_OR_RETURN(conv.width,
                      ResolveWindow(attrs.window, 1, input.extent(3),
                                    filter.extent(3), "filter"));
  conv.channels = filter.extent(0);
  conv.epilogue = attrs.epilogue;
  conv.to_int8 = to_int8;
  conv.input =
      Desc({input.extent(0), input.extent(1), input.extent(2), input.extent(3)},
           Type::s8, Tag::nhwc);
  conv.out = Desc(
      {input.extent(0), conv.channels, conv.height.output, conv.width.output},
      to_int8 ? Type::s8 : Type::f32, Tag::nhwc);
  const int64_t groups = attrs.groups;
  conv.filter = groups == 1
                    ? Desc({conv.channels, filter.extent(1), filter.extent(2),
                            filter.extent(3)},
                           Type::s8, Tag::any)
                    : Desc({groups, conv.channels / groups, filter.extent(1),
                            filter.extent(2), filter.extent(3)},
                           Type::s8, Tag::any);
  return conv;
}

OnednnKey KeyOf(const DenseTensor& input, const Int8Conv& conv, int groups) {
  const OnednnEpilogue& epilogue = conv.epilogue;
  int32_t numbers[2];
  std::memcpy(&numbers[0], &epilogue.step.alpha, sizeof(float));
  std::memcpy(&numbers[1], &epilogue.step.beta, sizeof(float));
  OnednnKey key{Conv2dInt8Signature::kOp,
                {input.extent(0), input.extent(1), conv.channels, groups,
                 epilogue.bias + 2 * epilogue.residual + 4 * conv.to_int8 +
                     8 * static_cast<int>(epilogue.step.kind),
                 numbers[0], numbers[1]}};
  AppendTo(&key, conv.height);
  AppendTo(&key, conv.width);
  return key;
}

// The primitive with an argument for each buffer: input, filter, output,
// multiplier, then what there is of bias, residual, and factor with kLeast.
OnednnPrimitive MakePrimitive(const Int8Conv& conv,
                              const dnnl::engine& engine) {
  const Primitive primitive = conv.Describe(engine);
  OnednnPrimitive made{
      dnnl::convolution_forward(primitive),
      {{DNNL_ARG_SRC, primitive.src_desc()},
       {DNNL_ARG_WEIGHTS, primitive.weights_desc()},
       {DNNL_ARG_DST, primitive.dst_desc()}},
      static_cast<int64_t>(primitive.scratchpad_desc().get_size())};
  int step = 0;
  const auto add = [&made](int number, const Desc& desc) {
    made.arguments.push_back(
        {DNNL_ARG_ATTR_MULTIPLE_POST_OP(number) | DNNL_ARG_SRC_1, desc});
  };
  add(step++, FloatDesc(conv.channels));
  if (conv.epilogue.bias) add(step++, FloatDesc(conv.channels));
  if (conv.epilogue.residual) {
    add(step++, Desc(conv.out.dims(), Type::f32, Tag::nhwc));
  }
  if (conv.to_int8) {
    const int steps = primitive.get_primitive_attr().get_post_ops().len();
    add(steps - 2, FloatDesc(1));
    add(steps - 1, FloatDesc(1));
  }
  return made;
}

// Returns the filter as the primitive takes it, with what makes up for input
// that is shifted to be positive.
absl::StatusOr<RefPtr<Buffer>> PackFilter(const OnednnContext& context,
                                          const OnednnKey& key,
                                          const Int8Conv& conv,
                                          const DenseTensor& filter) {
  OnednnKey filter_key = key;
  filter_key.numbers.push_back(reinterpret_cast<intptr_t>(filter.raw_data()));
  Desc packed;
  SY_RETURN_IF_ERROR(AskOnednn([&](const dnnl::engine& engine) {
    packed = conv.Describe(engine).weights_desc();
    return absl::OkStatus();
  }));
  const auto plain =
      Desc(conv.filter.dims(), Type::s8,
           conv.filter.dims().size() == 5 ? Tag::goihw : Tag::oihw);
  return context.GetPacked(
      std::move(filter_key), filter.buffer(),
      static_cast<int64_t>(packed.get_size()),
      [&](const dnnl::engine& engine, dnnl::stream& stream, void* bytes) {
        dnnl::memory from(plain, engine, const_cast<void*>(filter.raw_data()));
        dnnl::memory to(packed, engine, bytes);
        dnnl::reorder(from, to).execute(stream, from, to);
        stream.wait();
      });
}

}  // namespace

bool HasVnni() {
  const auto isa = static_cast<int>(dnnl::get_effective_cpu_isa());
  constexpr auto kWide = static_cast<int>(dnnl::cpu_isa::avx512_core_vnni);
  constexpr auto kNarrow = static_cast<int>(dnnl::cpu_isa::avx2_vnni);
  return (isa & kWide) == kWide || (isa & kNarrow) == kNarrow;
}

absl::Status OnednnConvInt8Layouts(const Shape& input, const Shape& filter,
                                   const OnednnConvAttrs& attrs, bool to_int8) {
  if (!HasVnni()) {
    return absl::UnavailableError(
        "without VNNI oneDNN halves the weights of signed input");
  }
  Shape one = input;
  one[0] = 1;
  SY_ASSIGN_OR_RETURN(const Int8Conv conv,
                      Resolve(one, filter, attrs, to_int8));
  return AskOnednn([&](const dnnl::engine& engine) {
    const Primitive primitive = conv.Describe(engine);
    if (IsPlain(primitive.impl_info_str())) {
      return absl::UnavailableError(
          "oneDNN has no code of its own for this convolution");
    }
    return absl::OkStatus();
  });
}

template <>
absl::Status Conv2dInt8Kernel<int8_t>(const OnednnContext& context,
                                      const Conv2dInt8Args& args) {
  if (args.input.extent(0) == 0) return absl::OkStatus();
  const OnednnConvAttrs attrs = {
      {args.strides, args.paddings, args.padding_algorithm, args.dilations},
      args.groups,
      "NCHW",
      MakeEpilogue<DenseTensor>({args.bias, args.residual}, args.post_ops)};
  SY_ASSIGN_OR_RETURN(const Int8Conv conv,
                      Resolve(args.input.shape(), args.filter.shape(), attrs,
                              args.out_factor != nullptr));
  const OnednnKey key = KeyOf(args.input, conv, args.groups);
  SY_ASSIGN_OR_RETURN(const RefPtr<Buffer> packed,
                      PackFilter(context, key, conv, args.filter));
  absl::InlinedVector<void*, 8> data = {
      const_cast<void*>(args.input.raw_data()), packed->data(),
      args.out->mutable_data<void>(),
      const_cast<void*>(args.multiplier.raw_data())};
  for (const DenseTensor* tensor :
       {args.bias, args.residual, args.out_factor}) {
    if (tensor != nullptr) {
      data.push_back(const_cast<void*>(tensor->raw_data()));
    }
  }
  if (args.out_factor != nullptr) data.push_back(const_cast<float*>(&kLeast));
  return context.Execute(
      key,
      [&](const dnnl::engine& engine) { return MakePrimitive(conv, engine); },
      data);
}

}  // namespace switchyard::phi::kernels::onednn
