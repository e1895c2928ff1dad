// SPDX-License-Identifier: Apache-2.0
#include <string_view>
#include <utility>

#include "phi/core/register_kernel.h"
#include "phi/core/short_text.h"
#include "phi/core/signatures/pool2d.gen.h"
#include "phi/core/window.h"
#include "phi/kernels/onednn/image.h"

namespace switchyard::phi {
namespace kernels {
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

template <typename T, typename Context>
absl::Status Pool2dKernel(const Context& context, const DenseTensor& x,
                          absl::Span<const int64_t> kernel_size,
                          absl::Span<const int> strides,
                          absl::Span<const int> paddings, bool, bool,
                          std::string_view data_format, std::string_view, bool,
                          bool, std::string_view padding_algorithm,
                          DenseTensor* out) {
  const bool last = data_format == "NHWC";
  const WindowAttrs attrs = {strides, paddings, padding_algorithm};
  OnednnPool pool;
  SY_ASSIGN_OR_RETURN(pool.height,
                      ResolveWindow(attrs, 0, x.extent(last ? 1 : 2),
                                    kernel_size[0], "kernel_size"));
  SY_ASSIGN_OR_RETURN(pool.width,
                      ResolveWindow(attrs, 1, x.extent(last ? 2 : 3),
                                    kernel_size[1], "kernel_size"));
  pool.x = ImageDesc(x, last);
  pool.out = ImageDesc(*out, last);
  OnednnKey key{Pool2dSignature::kOp,
                {last, pool.x.dims()[0], pool.x.dims()[1]}};
  AppendTo(&key, pool.height);
  AppendTo(&key, pool.width);
  void* const buffers[] = {const_cast<T*>(x.data<T>()), out->mutable_data<T>()};
  return context.Execute(
      std::move(key),
      [&](const dnnl::engine& engine) { return pool.Make(engine); }, buffers);
}

// Means of windows of one size that lie within the padded image, padding not
// counted: oneDNN gives these values too. Its largest elements are others: it
// passes over NaN and starts from the lowest finite number instead of
// -infinity. On smaller tensors a primitive's call costs more than it wins.
constexpr auto kSpec =
    KernelSpec<Pool2dSignature>()
        .NoEmpty()
        .When(AttrEquals(Pool2dSignature::kPoolingType, ShortText("avg")))
        .When(AttrEquals(Pool2dSignature::kCeilMode, false))
        .When(AttrEquals(Pool2dSignature::kExclusive, true))
        .When(AttrEquals(Pool2dSignature::kGlobalPooling, false))
        .When(AttrEquals(Pool2dSignature::kAdaptive, false))
        .When(ElementsAtLeast(Pool2dSignature::kX, 1 << 16));

}  // namespace
}  // namespace kernels

SY_REGISTER_KERNEL(pool2d, onednn, kernels::Pool2dKernel, OnednnContext,
                   kernels::kSpec, float32);

}  // namespace switchyard::phi
