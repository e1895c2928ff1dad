// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/onednn/pooling.h"

#include <string_view>
#include <utility>

#include "phi/core/signatures/pool2d.gen.h"
#include "phi/kernels/onednn/image.h"
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
                                 const DenseTensor& x,
                                 absl::Span<const int64_t> kernel_size,
                                 absl::Span<const int> strides,
                                 absl::Span<const int> paddings, bool, bool,
                                 std::string_view data_format, std::string_view,
                                 bool, bool, std::string_view padding_algorithm,
                                 DenseTensor* out) {
  if (x.extent(0) == 0) return absl::OkStatus();
  const bool last = data_format == "NHWC";
  const WindowAttrs attrs = {strides, paddings, padding_algorithm};
  OnednnPool pool;
  SY_ASSIGN_OR_RETURN(pool.height,
                      ResolveWindow(attrs, 0, x.extent(last ? 1 : 2),
                                    kernel_size[0], "kernel_size"));
  SY_ASSIGN_OR_RETURN(pool.width,
                      ResolveWindow(attrs, 1, x.extent(last ? 2 : 3),
                                    kernel_size[1], "kernel_size"));
  pool.x = MakeDesc(x, ImageAxes(data_format));
  pool.out = MakeDesc(*out, ImageAxes(data_format));
  OnednnKey key{Pool2dSignature::kOp,
                {last, pool.x.dims()[0], pool.x.dims()[1],
                 static_cast<int64_t>(x.layout().number())}};
  AppendTo(&key, pool.height);
  AppendTo(&key, pool.width);
  void* const buffers[] = {const_cast<float*>(x.data<float>()),
                           out->mutable_data<float>()};
  return context.Execute(
      std::move(key),
      [&](const dnnl::engine& engine) { return pool.Make(engine); }, buffers);
}

}  // namespace switchyard::phi::kernels::onednn
