// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/specialize/specialize_elements.h"

#include "framework/device/transfer.h"
#include "phi/core/kernel_context.h"
#include "phi/core/supplied_attribute.h"
#include "static_graph/executor/tensor_copy.h"

namespace switchyard::static_graph {
namespace {

// Upper bound of the bytes that a launch run while specializing may make: a
// shape is short.
constexpr int64_t kMaxEvaluatedBytes = 1 << 12;

}  // namespace

// Reads what values supply: they are known (MustWait).
absl::Status SettleAttributes(DraftLaunch* launch, BlockDraft* draft) {
  const Instruction& instruction = *launch->instruction;
  launch->attrs = instruction.attrs;
  if (instruction.supplied().empty()) return absl::OkStatus();
  draft->resizable = false;
  auto settled = std::make_unique<SettledAttrs>();
  for (const SuppliedValues& supplied : instruction.supplied()) {
    const phi::AttrInfo& info = instruction.op->attrs[supplied.attr];
    phi::SuppliedNumbers read;
    for (ValueId value : supplied.values) {
      SY_RETURN_IF_ERROR(phi::ReadNumbers(
          info.name, draft->known[draft->GetTensor(value)], &read));
    }
    SY_ASSIGN_OR_RETURN(settled->supplied.emplace_back(),
                        phi::MakeAttribute(info.name, read, info.type));
  }
  settled->attrs = instruction.attrs;
  // References only once the owners stay where they are.
  for (size_t i = 0; i < settled->supplied.size(); ++i) {
    settled->attrs[instruction.supplied()[i].attr] = settled->supplied[i].ref();
  }
  launch->attrs = settled->attrs;
  draft->made->settled_attrs.push_back(std::move(settled));
  return absl::OkStatus();
}

bool CanEvaluate(const BlockDraft& draft, const DraftLaunch& launch) {
  const Instruction& instruction = *launch.instruction;
  const phi::OpInfo& op = *instruction.op;
  if (op.has(phi::Trait::kRandom) || op.has(phi::Trait::kInplaceOnly) ||
      !launch.selection.transforms.empty() || launch.selection.fallback) {
    return false;
  }
  bool wanted = false;
  for (ValueId output : instruction.outputs) {
    if (output == kNoValue) continue;
    wanted |= draft.plan.decides_shapes[output];
    const TensorSlot& slot = draft.made->tensors[draft.GetTensor(output)];
    if (slot.storage == TensorSlot::Storage::kOwn ||
        slot.bytes > kMaxEvaluatedBytes) {
      return false;
    }
  }
  for (const auto [argument, slot, input] : instruction.inputs.view()) {
    const TensorId tensor = launch.inputs[slot];
    if (tensor != kNoTensor && !op.inputs[argument].no_need_buffer &&
        !draft.known[tensor].allocated()) {
      return false;
    }
  }
  return wanted;
}

// Runs the kernel now, over memory of its own; the step runs it again where
// something reads the result.
absl::Status Evaluate(const DraftLaunch& launch, const Step& step,
                      BlockDraft* draft) {
  const Instruction& instruction = *launch.instruction;
  std::vector<DenseTensor> tensors;
  tensors.reserve(launch.inputs.size() + step.outputs.size());
  std::vector<const TensorBase*> inputs;
  for (TensorId input : launch.inputs) {
    inputs.push_back(nullptr);
    if (input == kNoTensor) continue;
    tensors.push_back(draft->known[input].allocated()
                          ? draft->known[input]
                          : DenseTensor(draft->GetMeta(input), nullptr));
    if (draft->known[input].allocated() &&
        draft->GetMeta(input).place != Place::Cpu()) {
      SY_ASSIGN_OR_RETURN(
          tensors.back(),
          Transferred(draft->known[input], draft->GetMeta(input).place));
    }
    inputs.back() = &tensors.back();
  }
  std::vector<TensorBase*> outputs;
  for (TensorId output : step.outputs) {
    outputs.push_back(nullptr);
    if (output == kNoTensor) continue;
    const TensorSlot& slot = draft->made->tensors[output];
    tensors.emplace_back(slot.meta, nullptr);
    if (slot.storage != TensorSlot::Storage::kView) {
      SY_ASSIGN_OR_RETURN(tensors.back(), AllocateLike(slot.meta));
    }
    outputs.back() = &tensors.back();
  }
  phi::KernelContext context(
      step.kernel->key.backend->contexts->current(instruction.place),
      {{inputs, instruction.inputs.segments()},
       launch.attrs,
       {outputs, instruction.outputs.segments()}},
      step.kernel);
  SY_RETURN_IF_ERROR(step.kernel->thunk(context));
  for (size_t slot = 0; slot < outputs.size(); ++slot) {
    if (outputs[slot] == nullptr) continue;
    SY_ASSIGN_OR_RETURN(
        const DenseTensor made,
        OnHost(*static_cast<const DenseTensor*>(outputs[slot])));
    SY_ASSIGN_OR_RETURN(draft->known[step.outputs[slot]], ContiguousCopy(made));
  }
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
