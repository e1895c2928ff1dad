// SPDX-License-Identifier: Apache-2.0
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/softmax.gen.h"
#include "phi/kernels/onednn/onednn_context.h"

namespace switchyard::phi {
namespace kernels {
namespace {

using dnnl::memory;

// [outer, extent, inner], contiguous: all that softmax knows of a shape.
OnednnPrimitive MakeSoftmax(const dnnl::engine& engine,
                            const memory::dims& dims) {
  const memory::desc desc(dims, memory::data_type::f32,
                          memory::format_tag::abc);
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const dnnl::softmax_forward::primitive_desc primitive(
      dnnl::softmax_forward::desc(dnnl::prop_kind::forward_inference, desc,
                                  /*axis=*/1),
      attr, engine);
  return {dnnl::softmax_forward(primitive),
          {{DNNL_ARG_SRC, desc}, {DNNL_ARG_DST, desc}},
          static_cast<int64_t>(primitive.scratchpad_desc().get_size())};
}

template <typename T, typename Context>
absl::Status SoftmaxKernel(const Context& context, const DenseTensor& x,
                           int axis, DenseTensor* out) {
  if (axis < 0) axis += x.rank();
  memory::dims dims = {1, 1, 1};
  for (int i = 0; i < x.rank(); ++i) {
    dims[i < axis ? 0 : i == axis ? 1 : 2] *= x.extent(i);
  }
  // oneDNN does not write to what it calls a source.
  void* const buffers[] = {const_cast<T*>(x.data<T>()), out->mutable_data<T>()};
  return context.Execute(
      {SoftmaxSignature::kOp, {dims[0], dims[1], dims[2]}},
      [&](const dnnl::engine& engine) { return MakeSoftmax(engine, dims); },
      buffers);
}

// On smaller tensors a primitive's call costs more than the work.
constexpr auto kSpec = KernelSpec<SoftmaxSignature>()
                           .When(RankAtLeast(SoftmaxSignature::kX, 1))
                           .When(ElementsAtLeast(SoftmaxSignature::kX, 16384));

}  // namespace
}  // namespace kernels

SY_REGISTER_KERNEL(softmax, onednn, kernels::SoftmaxKernel, OnednnContext,
                   kernels::kSpec, float32);

}  // namespace switchyard::phi
