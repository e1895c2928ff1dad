// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/packed_values.h"

#include "phi/core/kernel_context.h"
#include "static_graph/executor/tensor_copy.h"

namespace switchyard::static_graph {
namespace {

// Runs the reorder of `source` into new memory.
absl::StatusOr<DenseTensor> Pack(const Step& step, const TensorSlot& slot,
                                 const DenseTensor& source) {
  SY_ASSIGN_OR_RETURN(DenseTensor packed, AllocateLike(slot.meta));
  const TensorBase* const inputs[] = {&source};
  TensorBase* const outputs[] = {&packed};
  phi::KernelContext context(
      step.kernel->key.backend->contexts->current(step.place),
      {{inputs, step.input_segments},
       step.attrs,
       {outputs, step.output_segments}},
      step.kernel);
  SY_RETURN_IF_ERROR(Annotate(step.kernel->thunk(context), step.kernel->op));
  return packed;
}

}  // namespace

absl::Status PackedValues::Bind(absl::Span<const DenseTensor> states,
                                absl::Span<const DenseTensor> constants,
                                BlockFrame* frame, BoundPackings* bound) const {
  const ShapeSpecialization& made = frame->specialization();
  bound->resize(made.packings.size());
  for (size_t i = 0; i < made.packings.size(); ++i) {
    const Packing& packing = made.packings[i];
    const TensorSlot& slot = made.tensors[packing.source];
    const size_t index = static_cast<size_t>(slot.index);
    const DenseTensor& source = slot.source == PlanValue::Source::kState
                                    ? states[index]
                                    : constants[index];
    std::shared_ptr<const PackedValue>& value = (*bound)[i];
    if (value != nullptr && value->IsOf(source)) continue;
    SY_ASSIGN_OR_RETURN(value, Get(made, packing, source));
    frame->BindPacked(packing.packed, value->tensor());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const PackedValue>> PackedValues::Get(
    const ShapeSpecialization& made, const Packing& packing,
    const DenseTensor& source) const {
  const TensorSlot& from = made.tensors[packing.source];
  const TensorSlot& to = made.tensors[packing.packed];
  const Key key = {from.source == PlanValue::Source::kState, from.index,
                   to.meta.layout.number()};
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = values_.find(key);
    if (found != values_.end() && found->second->IsOf(source)) {
      return found->second;
    }
  }
  // Two threads may do this at once; one result is kept. The watch begins
  // before the elements are read.
  auto value = std::make_shared<PackedValue>(source.buffer());
  SY_ASSIGN_OR_RETURN(value->tensor_, Pack(packing.step, to, source));
  const std::lock_guard<std::mutex> lock(mutex_);
  values_[key] = value;
  return std::shared_ptr<const PackedValue>(std::move(value));
}

}  // namespace switchyard::static_graph
