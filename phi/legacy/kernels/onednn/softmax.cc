// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of softmax that calls oneDNN: it serves the calls
// that ask for the library (use_mkldnn). How it compares with the functional
// kernel: docs/parity.md.
#include "phi/core/signatures/softmax.gen.h"
#include "phi/kernels/onednn/onednn_context.h"
#include "phi/legacy/forms/softmax.gen.h"
#include "phi/legacy/kernels/lanes.h"
#include "phi/legacy/kernels/register_legacy_kernel.h"
#include "phi/legacy/kernels/softmax_operator.h"

namespace switchyard::phi {
namespace fluid {

// Along the middle axis of float32[rows, lanes.length, lanes.stride].
inline OnednnPrimitive MakeSoftmax(const dnnl::engine& engine, int64_t rows,
                                   const Lanes& lanes) {
  using dnnl::memory;
  const memory::desc tensor({rows, lanes.length, lanes.stride},
                            memory::data_type::f32, memory::format_tag::abc);
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const dnnl::softmax_forward::primitive_desc primitive(
      dnnl::softmax_forward::desc(dnnl::prop_kind::forward_inference, tensor,
                                  /*softmax_axis=*/1),
      attr, engine);
  return {dnnl::softmax_forward(primitive),
          {{DNNL_ARG_SRC, tensor}, {DNNL_ARG_DST, tensor}},
          static_cast<int64_t>(primitive.scratchpad_desc().get_size())};
}

// Out = exp(X - max) / sum(exp(X - max)) along `axis`; any shape.
template <typename T>
class SoftmaxOnednnKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    SY_ASSIGN_OR_RETURN(const int axis, context.Attr<int>("axis"));
    SY_ASSIGN_OR_RETURN(const Lanes lanes, MakeLanes(x.shape(), axis));
    if (x.numel() == 0) return absl::OkStatus();
    const int64_t row_elements = lanes.length * lanes.stride;
    const int64_t row_bytes = row_elements * int64_t{sizeof(T)};
    OnednnSplit split;
    split.extent = x.numel() / row_elements;
    // Some element a nanosecond.
    split.parts =
        OnednnParts(split.extent, static_cast<double>(x.numel()) / 1e3);
    const OnednnBuffer buffers[] = {
        {const_cast<T*>(x.data<T>()), 0, row_bytes},
        {context.Output("Out")->template mutable_data<T>(), 0, row_bytes}};
    return context.device<OnednnContext>().ExecuteSplit(
        {SoftmaxSignature::kOp, {lanes.length, lanes.stride}}, split,
        [&](const dnnl::engine& engine, const OnednnPart& part) {
          return MakeSoftmax(engine, part.extent, lanes);
        },
        buffers);
  }
};

}  // namespace fluid

constexpr fluid::OperatorSpec<fluid::SoftmaxOperator, fluid::Library::kOnednn>
    kSpec(KernelSpec<SoftmaxSignature>{});
SY_REGISTER_LEGACY_KERNEL(softmax, onednn, fluid::SoftmaxOnednnKernel,
                          legacy_softmax, kSpec, float32);

}  // namespace switchyard::phi
