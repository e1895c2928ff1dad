// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/specialize/specialize_fallbacks.h"

#include <string_view>

#include "static_graph/executor/plan_transforms.h"
#include "static_graph/executor/specialize/specialize_layouts.h"
#include "static_graph/executor/specialize/specialize_transform.h"

namespace switchyard::static_graph {

using TransformKind = phi::selection::Transform::Kind;

absl::Status ReturnFromHost(const DraftLaunch& launch, BlockDraft* draft) {
  const Instruction& instruction = *launch.instruction;
  for (size_t slot = 0; slot < instruction.outputs.size(); ++slot) {
    const ValueId value = instruction.outputs[slot];
    if (value == kNoValue) continue;
    SY_RETURN_IF_ERROR(Settle(value, draft));
    draft->yielded[value] = kNoTensor;
    phi::selection::Transform back;
    back.kind = TransformKind::kCopy;
    back.slot = static_cast<uint16_t>(slot);
    back.place = instruction.result_place;
    TensorId returned = draft->tensor_of[value];
    SY_RETURN_IF_ERROR(
        AddTransform(back, instruction, StepRole::kOutput, &returned, draft));
    draft->origins[returned] = kNoTensor;
    draft->tensor_of[value] = returned;
    const Instruction::OutputSource source = instruction.sources[slot];
    if (!source.writes() || draft->elided[instruction.inputs[source.input]]) {
      continue;
    }
    // Gives the result to the tensor that the call writes over: its kernel had
    // a copy.
    const TensorId target = draft->GetTensor(instruction.inputs[source.input]);
    if (draft->GetMeta(target).place == back.place) {
      draft->made->tensors[returned].root = draft->made->tensors[target].root;
    }
  }
  return absl::OkStatus();
}

void MarkFallback(size_t first, BlockDraft* draft) {
  for (size_t i = first; i < draft->made->steps.size(); ++i) {
    Step& step = draft->made->steps[i];
    step.fallback = step.role == StepRole::kCall ||
                    std::string_view(step.kernel->op) ==
                        phi::selection::OperatorName(TransformKind::kCopy);
  }
}

bool IsFallback(const BlockDraft& draft, const Instruction& instruction) {
  if (instruction.role == StepRole::kCall) return instruction.fallback;
  return instruction.role != StepRole::kMemory &&
         draft.plan.instructions[instruction.call].fallback &&
         TransformKindOf(draft.program, instruction) == TransformKind::kCopy;
}

}  // namespace switchyard::static_graph
