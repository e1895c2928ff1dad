// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/packed_values.h"

#include <utility>

#include "phi/core/kernel_context.h"
#include "static_graph/executor/run_profile.h"
#include "static_graph/executor/tensor_copy.h"

namespace switchyard::static_graph {
namespace {

using Tensors = std::map<TensorId, DenseTensor>;  // Elements never move.

// Runs one step over `tensors`, to which its outputs are added.
absl::Status RunStep(const ShapeSpecialization& made, const Step& step,
                     RunProfile* profile, Tensors* tensors) {
  std::vector<const TensorBase*> inputs;
  for (TensorId input : step.inputs) {
    inputs.push_back(input == kNoTensor ? nullptr : &tensors->at(input));
  }
  std::vector<TensorBase*> outputs;
  for (TensorId output : step.outputs) {
    outputs.push_back(nullptr);
    if (output == kNoTensor) continue;
    const TensorSlot& slot = made.tensors[output];
    DenseTensor tensor(slot.meta, nullptr);
    if (slot.storage != TensorSlot::Storage::kView) {
      SY_ASSIGN_OR_RETURN(tensor, AllocateLike(slot.meta));
    }
    outputs.back() = &tensors->emplace(output, std::move(tensor)).first->second;
  }
  phi::KernelContext context(
      step.kernel->key.backend->contexts->current(step.place),
      {{inputs, step.input_segments},
       step.attrs,
       {outputs, step.output_segments}},
      step.kernel);
  size_t number = 0;
  if (profile != nullptr) number = profile->Begin(step, made, /*kept=*/true);
  const absl::Status status = step.kernel->thunk(context);
  if (profile != nullptr) profile->End(number);
  return Annotate(status, step.kernel->op);
}

// Computes the value of a packing into new memory.
absl::StatusOr<DenseTensor> Pack(const ShapeSpecialization& made,
                                 const Packing& packing,
                                 const PackedValue::Sources& sources,
                                 RunProfile* profile) {
  Tensors tensors;
  for (size_t i = 0; i < sources.size(); ++i) {
    tensors.emplace(packing.sources[i], *sources[i]);
  }
  for (int step : packing.steps) {
    SY_RETURN_IF_ERROR(RunStep(made, made.prepared[step], profile, &tensors));
  }
  return std::move(tensors.at(packing.packed));
}

}  // namespace

absl::Status PackedValues::Bind(absl::Span<const DenseTensor> states,
                                absl::Span<const DenseTensor> constants,
                                RunProfile* profile, BlockFrame* frame,
                                BoundPackings* bound) const {
  const ShapeSpecialization& made = frame->specialization();
  bound->resize(made.packings.size());
  PackedValue::Sources sources;
  for (size_t i = 0; i < made.packings.size(); ++i) {
    const Packing& packing = made.packings[i];
    sources.clear();
    for (TensorId source : packing.sources) {
      const TensorSlot& slot = made.tensors[source];
      const size_t index = static_cast<size_t>(slot.index);
      sources.push_back(slot.source == PlanValue::Source::kState
                            ? &states[index]
                            : &constants[index]);
    }
    std::shared_ptr<const PackedValue>& value = (*bound)[i];
    if (value != nullptr && value->IsOf(sources)) continue;
    SY_ASSIGN_OR_RETURN(value, Get(made, packing, sources, profile));
    frame->tensors().BindPacked(packing.packed, value->tensor());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const PackedValue>> PackedValues::Get(
    const ShapeSpecialization& made, const Packing& packing,
    const PackedValue::Sources& sources, RunProfile* profile) const {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = values_.find(packing.key);
    if (found != values_.end() && found->second->IsOf(sources)) {
      return found->second;
    }
  }
  // Two threads may do this at once; one result is kept. The watches begin
  // before the elements are read.
  auto value = std::make_shared<PackedValue>(sources);
  SY_ASSIGN_OR_RETURN(value->tensor_, Pack(made, packing, sources, profile));
  const std::lock_guard<std::mutex> lock(mutex_);
  values_[packing.key] = value;
  return std::shared_ptr<const PackedValue>(std::move(value));
}

}  // namespace switchyard::static_graph
