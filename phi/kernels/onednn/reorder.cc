// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/onednn/reorder.h"

#include <utility>

#include "phi/core/signatures/reorder.gen.h"
#include "phi/kernels/onednn/layouts.h"

namespace switchyard::phi::kernels::onednn {

template <>
absl::Status ReorderKernel<float>(const OnednnContext& context,
                                  const DenseTensor& x, std::string_view,
                                  DenseTensor* out) {
  const dnnl::memory::desc from = MakeDesc(x, SameAxes(x.rank()));
  const dnnl::memory::desc to = MakeDesc(*out, SameAxes(x.rank()));
  OnednnKey key{ReorderSignature::kOp,
                {x.layout().number(), out->layout().number()}};
  for (int axis = 0; axis < x.rank(); ++axis) {
    key.numbers.push_back(x.extent(axis));
  }
  void* const buffers[] = {const_cast<void*>(x.raw_data()),
                           out->mutable_data<void>()};
  return context.Execute(
      std::move(key),
      [&](const dnnl::engine& engine) -> OnednnPrimitive {
        dnnl::primitive_attr attr;
        attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
        const dnnl::reorder::primitive_desc primitive(engine, from, engine, to,
                                                      attr);
        return {dnnl::reorder(primitive),
                {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}},
                static_cast<int64_t>(primitive.scratchpad_desc().get_size())};
      },
      buffers);
}

}  // namespace switchyard::phi::kernels::onednn
