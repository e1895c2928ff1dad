// SPDX-License-Identifier: Apache-2.0
// conv2d and depthwise_conv2d by oneDNN, in the layout that it likes best:
// input, filter and result are reordered on the way.
#ifndef SWITCHYARD_PHI_KERNELS_ONEDNN_CONV_PRIMITIVE_H_
#define SWITCHYARD_PHI_KERNELS_ONEDNN_CONV_PRIMITIVE_H_

#include <string_view>
#include <utility>

#include "phi/kernels/onednn/image.h"

namespace switchyard::phi::kernels::onednn {

// One call, resolved.
struct OnednnConv {
  dnnl::memory::desc input, filter, out;  // As they are given.
  WindowAxis height, width;
  int groups;

  dnnl::memory::desc Any(const dnnl::memory::desc& given) const {
    return dnnl::memory::desc(given.dims(), dnnl::memory::data_type::f32,
                              dnnl::memory::format_tag::any);
  }
  OnednnPrimitive Make(const dnnl::engine& engine) const {
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const dnnl::convolution_forward::primitive_desc primitive(
        dnnl::convolution_forward::desc(
            dnnl::prop_kind::forward_inference,
            dnnl::algorithm::convolution_direct, Any(input), Any(filter),
            Any(out), {height.stride, width.stride},
            {height.dilation - 1, width.dilation - 1},
            {height.before, width.before}, {height.after, width.after}),
        attr, engine);
    OnednnPrimitive result;
    result.primitive = dnnl::convolution_forward(primitive);
    result.Add(engine, DNNL_ARG_SRC, primitive.src_desc(), input);
    result.Add(engine, DNNL_ARG_WEIGHTS, primitive.weights_desc(), filter);
    result.Add(engine, DNNL_ARG_DST, primitive.dst_desc(), out,
               /*result=*/true);
    result.scratchpad_bytes =
        static_cast<int64_t>(primitive.scratchpad_desc().get_size());
    return result;
  }
};

inline absl::Status RunOnednnConv(const OnednnContext& context, const char* op,
                                  const DenseTensor& input,
                                  const DenseTensor& filter,
                                  const WindowAttrs& attrs, int groups,
                                  std::string_view data_format,
                                  DenseTensor* out) {
  using Tag = dnnl::memory::format_tag;
  const bool last = data_format == "NHWC";
  OnednnConv conv;
  conv.groups = groups;
  SY_ASSIGN_OR_RETURN(conv.height,
                      ResolveWindow(attrs, 0, input.extent(last ? 1 : 2),
                                    filter.extent(2), "filter"));
  SY_ASSIGN_OR_RETURN(conv.width,
                      ResolveWindow(attrs, 1, input.extent(last ? 2 : 3),
                                    filter.extent(3), "filter"));
  conv.input = ImageDesc(input, last);
  conv.out = ImageDesc(*out, last);
  const dnnl::memory::dims shape = {filter.extent(0), filter.extent(1),
                                    filter.extent(2), filter.extent(3)};
  const auto f32 = dnnl::memory::data_type::f32;
  conv.filter = groups == 1 ? dnnl::memory::desc(shape, f32, Tag::oihw)
                            : dnnl::memory::desc({groups, shape[0] / groups,
                                                  shape[1], shape[2], shape[3]},
                                                 f32, Tag::goihw);
  OnednnKey key{op, {last, groups}};
  AppendTo(&key, conv.height);
  AppendTo(&key, conv.width);
  key.numbers.insert(key.numbers.end(),
                     {conv.input.dims()[0], conv.input.dims()[1], shape[0]});
  void* const buffers[] = {const_cast<void*>(input.raw_data()),
                           const_cast<void*>(filter.raw_data()),
                           const_cast<void*>(out->raw_data())};
  return context.Execute(
      std::move(key),
      [&](const dnnl::engine& engine) { return conv.Make(engine); }, buffers);
}

}  // namespace switchyard::phi::kernels::onednn

#endif  // SWITCHYARD_PHI_KERNELS_ONEDNN_CONV_PRIMITIVE_H_
