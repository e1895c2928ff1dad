// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/onednn/softmax.h"

#include "phi/core/signatures/softmax.gen.h"
#include "phi/kernels/onednn/onednn_context.h"

namespace switchyard::phi::kernels::onednn {
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

}  // namespace

template <>
absl::Status SoftmaxKernel<float>(const OnednnContext& context,
                                  const DenseTensor& x, int axis,
                                  DenseTensor* out) {
  if (axis < 0) axis += x.rank();
  memory::dims dims = {1, 1, 1};
  for (int i = 0; i < x.rank(); ++i) {
    dims[i < axis ? 0 : i == axis ? 1 : 2] *= x.extent(i);
  }
  // oneDNN does not write to what it calls a source.
  void* const buffers[] = {const_cast<float*>(x.data<float>()),
                           out->mutable_data<float>()};
  return context.Execute(
      {SoftmaxSignature::kOp, {dims[0], dims[1], dims[2]}},
      [&](const dnnl::engine& engine) { return MakeSoftmax(engine, dims); },
      buffers);
}

}  // namespace switchyard::phi::kernels::onednn
