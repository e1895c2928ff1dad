// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/onednn/pooling.h"

#include <string_view>
#include <utility>

#include "phi/core/signatures/pool2d.gen.h"
#include "phi/kernels/onednn/image.h"
#include "phi/kernels/onednn/image_split.h"
#include "phi/kernels/onednn/layouts.h"
#include "phi/shapes/window.h"

namespace switchyard::phi::kernels::onednn {
namespace {

struct OnednnPool {
  dnnl::memory::desc x, out;
  WindowAxis height, width;

  OnednnPrimitive Make(const dnnl::engine& engine) const {
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const dnnl::pooling_forward::primitive_desc primitive(
        dnnl::pooling_forward::desc(
            dnnl::prop_kind::forward_inference,
            dnnl::algorithm::pooling_avg_exclude_padding, x, out,
            {height.stride, width.stride}, {height.kernel, width.kernel},
            {height.before, width.before}, {height.after, width.after}),
        attr, engine);
    return {dnnl::pooling_forward(primitive),
            {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, out}},
            static_cast<int64_t>(primitive.scratchpad_desc().get_size())};
  }
};

}  // namespace

template <>
absl::Status Pool2dKernel<float>(const OnednnContext& context,
                                 const Pool2dArgs& args) {
  if (args.x.extent(0) == 0) return absl::OkStatus();
  const bool last = args.data_format == "NHWC";
  const WindowAttrs attrs = {args.strides, args.paddings,
                             args.padding_algorithm};
  OnednnPool pool;
  SY_ASSIGN_OR_RETURN(pool.height,
                      ResolveWindow(attrs, 0, args.x.extent(last ? 1 : 2),
                                    args.kernel_size[0], "kernel_size"));
  SY_ASSIGN_OR_RETURN(pool.width,
                      ResolveWindow(attrs, 1, args.x.extent(last ? 2 : 3),
                                    args.kernel_size[1], "kernel_size"));
  const OnednnAxes image = ImageAxes(args.data_format);
  pool.x = MakeDesc(args.x, image);
  pool.out = MakeDesc(*args.out, image);
  const int64_t channels = pool.x.dims()[1];
  // Some six elements a nanosecond.
  const auto windows = static_cast<double>(
      pool.height.kernel * pool.width.kernel * args.out->numel());
  const ImageSplit split = SplitImages(
      args.x.extent(0), channels, {windows / 6e3, OnednnChannelBlock()},
      {{const_cast<float*>(args.x.data<float>()), pool.x},
       {args.out->mutable_data<float>(), pool.out}});
  OnednnKey key{Pool2dSignature::kOp,
                {last, channels, static_cast<int64_t>(split.axis),
                 static_cast<int64_t>(args.x.layout().number())}};
  AppendTo(&key, pool.height);
  AppendTo(&key, pool.width);
  return context.ExecuteSplit(
      std::move(key), split.split,
      [&](const dnnl::engine& engine, const OnednnPart& part_of) {
        Shape part_x = args.x.shape(), part_out = args.out->shape();
        const int channel_axis = last ? 3 : 1;
        part_x[0] = part_out[0] = split.Batch(part_of);
        part_x[channel_axis] = part_out[channel_axis] =
            split.Channels(part_of, channels);
        OnednnPool part = pool;
        part.x = MakeDesc(part_x, args.x.layout(), image);
        part.out = MakeDesc(part_out, args.out->layout(), image);
        return part.Make(engine);
      },
      split.buffers);
}

}  // namespace switchyard::phi::kernels::onednn
