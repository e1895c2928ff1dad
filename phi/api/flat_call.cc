// SPDX-License-Identifier: Apache-2.0
#include "phi/api/flat_call.h"

#include <utility>

#include "absl/container/inlined_vector.h"
#include "phi/dispatch/call.h"

namespace switchyard::phi::api {
namespace {

// Gives the outputs of an in-place operator their inputs' buffers.
void ShareBuffers(const OpInfo& info, const FlatInputs<TensorBase>& inputs,
                  const Slots& output_slots, absl::Span<DenseTensor> outputs) {
  const Slots input_slots = inputs.slots();
  for (int i = 0; i < output_slots.arguments(); ++i) {
    const int source = info.outputs[i].inplace_of;
    if (source < 0) continue;
    for (int slot = output_slots.begin(i); slot < output_slots.end(i); ++slot) {
      const TensorBase* input = inputs.tensors()[input_slots.begin(source) +
                                                 slot - output_slots.begin(i)];
      // An absent one is the call's to refuse, or to do without.
      if (input == nullptr) continue;
      outputs[slot] = *static_cast<const DenseTensor*>(input);
    }
  }
}

}  // namespace

absl::StatusOr<FlatResults<DenseTensor>> FlatCall(
    const OpInfo& info, const std::atomic<const OpRow*>& row,
    const FlatInputs<TensorBase>& inputs, absl::Span<const AttrRef> attrs) {
  const auto annotated = [&](const absl::Status& status) {
    return Annotate(status, info.name);
  };
  SY_RETURN_IF_ERROR(annotated(inputs.Check()));
  FlatResults<DenseTensor>::Begins begins(info.outputs.size() + 1);
  SY_RETURN_IF_ERROR(
      annotated(OutputSlots(info, inputs.slots(), attrs, begins.data())));
  const Slots output_slots(begins.data(),
                           static_cast<int>(info.outputs.size()));
  FlatResults<DenseTensor>::Tensors results(output_slots.size());
  if (info.has(Trait::kInplaceOnly)) {
    ShareBuffers(info, inputs, output_slots, absl::MakeSpan(results));
  }
  absl::InlinedVector<TensorBase*, 8> outputs;
  for (DenseTensor& result : results) outputs.push_back(&result);
  dispatch::Call call(info, inputs.tensors(), inputs.slots(), attrs, outputs,
                      output_slots);
  SY_RETURN_IF_ERROR(call.Run(*row.load(std::memory_order_acquire)));
  return FlatResults<DenseTensor>(std::move(results), std::move(begins));
}

}  // namespace switchyard::phi::api
