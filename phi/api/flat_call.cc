// SPDX-License-Identifier: Apache-2.0
#include "phi/api/flat_call.h"

#include <utility>

#include "absl/container/inlined_vector.h"
#include "phi/dispatch/call.h"

namespace switchyard::phi::api {
namespace {

// Gives the outputs of an in-place operator their inputs' buffers.
void ShareBuffers(const OpInfo& info,
                  const ArgList<const TensorBase* const>& inputs,
                  const ArgList<DenseTensor>& outputs) {
  for (int i = 0; i < outputs.arguments(); ++i) {
    const int source = info.outputs[i].inplace_of;
    if (source < 0) continue;
    const absl::Span<DenseTensor> written = outputs.list(i);
    for (size_t k = 0; k < written.size(); ++k) {
      const TensorBase* input = inputs.list(source)[k];
      // An absent one is the call's to refuse, or to do without.
      if (input == nullptr) continue;
      written[k] = *static_cast<const DenseTensor*>(input);
    }
  }
}

}  // namespace

absl::StatusOr<ArgBuffer<DenseTensor>> FlatCall(
    const OpInfo& info, OpSlot& slot,
    const ArgBuffer<const TensorBase*>& inputs,
    absl::Span<const AttrRef> attrs) {
  SY_RETURN_IF_ERROR(Annotate(inputs.Check(), info.name));
  ArgLayout layout;
  SY_RETURN_IF_ERROR(Annotate(
      LayOutOutputs(info, inputs.segments(), attrs, &layout), info.name));
  ArgBuffer<DenseTensor> results(std::move(layout));
  if (info.has(Trait::kInplaceOnly)) {
    ShareBuffers(info, inputs.view(), results.mutable_view());
  }
  absl::InlinedVector<TensorBase*, 8> outputs;
  for (DenseTensor& result : results.mutable_view().elements()) {
    outputs.push_back(&result);
  }
  dispatch::Call call(info,
                      {inputs.view(), attrs, {outputs, results.segments()}});
  SY_RETURN_IF_ERROR(call.Run(slot.Get()));
  return results;
}

}  // namespace switchyard::phi::api
