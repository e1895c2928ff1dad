// SPDX-License-Identifier: Apache-2.0
// The part of BlockSpecializer that knows of calls on a device without a kernel
// for them: those that lowering saw, around which the program copies, and those
// that only the extents decide, whose copies are made here.
#include <string_view>

#include "static_graph/executor/plan_transforms.h"
#include "static_graph/executor/specialize_block.h"

namespace switchyard::static_graph {

using TransformKind = phi::selection::Transform::Kind;

absl::Status BlockSpecializer::ReturnFromHost(const Launch& launch) {
  const Instruction& instruction = *launch.instruction;
  for (size_t slot = 0; slot < instruction.outputs.size(); ++slot) {
    const ValueId value = instruction.outputs[slot];
    if (value == kNoValue) continue;
    SY_RETURN_IF_ERROR(Settle(value));
    yielded_[value] = kNoTensor;
    phi::selection::Transform back;
    back.kind = TransformKind::kCopy;
    back.slot = static_cast<uint16_t>(slot);
    back.place = instruction.result_place;
    TensorId returned = tensor_of_[value];
    SY_RETURN_IF_ERROR(
        AddTransform(back, instruction, StepRole::kOutput, &returned));
    origins_[returned] = kNoTensor;
    tensor_of_[value] = returned;
    const Instruction::OutputSource source = instruction.sources[slot];
    if (!source.writes() || elided_[instruction.inputs[source.input]]) continue;
    // Gives the result to what the call writes over; its kernel had a copy.
    const TensorId target = GetTensor(instruction.inputs[source.input]);
    if (GetMeta(target).place == back.place) {
      made_->tensors[returned].root = made_->tensors[target].root;
    }
  }
  return absl::OkStatus();
}

void BlockSpecializer::MarkFallback(size_t first) {
  for (size_t i = first; i < made_->steps.size(); ++i) {
    Step& step = made_->steps[i];
    step.fallback = step.role == StepRole::kCall ||
                    std::string_view(step.kernel->op) ==
                        phi::selection::OperatorName(TransformKind::kCopy);
  }
}

bool BlockSpecializer::IsFallback(const Instruction& instruction) const {
  if (instruction.role == StepRole::kCall) return instruction.fallback;
  return instruction.role != StepRole::kMemory &&
         plan_.instructions[instruction.call].fallback &&
         TransformKindOf(program_, instruction) == TransformKind::kCopy;
}

}  // namespace switchyard::static_graph
