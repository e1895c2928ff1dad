// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/onednn/reorder.h"

#include <utility>

#include "phi/core/signatures/reorder.gen.h"
#include "phi/kernels/onednn/image_split.h"
#include "phi/kernels/onednn/layouts.h"

namespace switchyard::phi::kernels::onednn {
namespace {

OnednnPrimitive MakeReorder(const dnnl::engine& engine,
                            const dnnl::memory::desc& from,
                            const dnnl::memory::desc& to) {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const dnnl::reorder::primitive_desc primitive(engine, from, engine, to, attr);
  return {dnnl::reorder(primitive),
          {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}},
          static_cast<int64_t>(primitive.scratchpad_desc().get_size())};
}

}  // namespace

template <>
absl::Status ReorderKernel<float>(const OnednnContext& context,
                                  const DenseTensor& x, std::string_view,
                                  DenseTensor* out) {
  if (x.numel() == 0) return absl::OkStatus();
  const OnednnAxes axes = SameAxes(x.rank());
  const int64_t channels = x.rank() > 1 ? x.extent(1) : 1;
  // Some three elements a nanosecond.
  const ImageSplit split =
      SplitImages(x.extent(0), channels,
                  {static_cast<double>(x.numel()) / 3e3, OnednnChannelBlock()},
                  {{const_cast<void*>(x.raw_data()), MakeDesc(x, axes), 0,
                    x.rank() > 1 ? 1 : -1},
                   {out->mutable_data<void>(), MakeDesc(*out, axes), 0,
                    x.rank() > 1 ? 1 : -1}});
  OnednnKey key{ReorderSignature::kOp,
                {static_cast<int64_t>(split.axis), x.layout().number(),
                 out->layout().number()}};
  for (int axis = 1; axis < x.rank(); ++axis) {
    key.numbers.push_back(x.extent(axis));
  }
  return context.ExecuteSplit(
      std::move(key), split.split,
      [&](const dnnl::engine& engine, const OnednnPart& range) {
        Shape part = x.shape();
        part[0] = split.Batch(range);
        if (x.rank() > 1) part[1] = split.Channels(range, channels);
        return MakeReorder(engine, MakeDesc(part, x.layout(), axes),
                           MakeDesc(part, out->layout(), axes));
      },
      split.buffers);
}

}  // namespace switchyard::phi::kernels::onednn
