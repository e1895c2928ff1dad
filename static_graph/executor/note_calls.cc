// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/note_calls.h"

#include <cstdint>
#include <vector>

#include "static_graph/executor/plan_transforms.h"

namespace switchyard::static_graph {

void NoteCalls(const ProgramPlan& program, Plan* block) {
  struct Result {
    int32_t call = -1;
    uint16_t slot = 0;
    Instruction* transform = nullptr;  // Which made it for a later call.
  };
  std::vector<Result> results(block->values.size());
  const auto take = [](Instruction* transform, StepRole role, int32_t call,
                       uint16_t slot) {
    transform->role = role;
    transform->call = call;
    transform->slot = slot;
  };
  for (size_t i = 0; i < block->instructions.size(); ++i) {
    Instruction& instruction = block->instructions[i];
    const int32_t number = static_cast<int32_t>(i);
    if (instruction.transform) {
      const ValueId input = instruction.inputs[0];
      Result& result = results[instruction.outputs[0]];
      result = results[input];
      const Place from = block->values[input].place;
      if (!EndsCall(instruction, from)) {
        result.transform = &instruction;
      } else if (result.call >= 0) {
        take(&instruction, StepRole::kOutput, result.call, result.slot);
      }
      continue;
    }
    for (size_t slot = 0; slot < instruction.inputs.size(); ++slot) {
      ValueId input = instruction.inputs[slot];
      while (input != kNoValue && results[input].transform != nullptr &&
             results[input].transform->call < 0) {
        Instruction* const transform = results[input].transform;
        input = transform->inputs[0];
        const bool copies =
            TransformKindOf(program, *transform) ==
                phi::selection::Transform::Kind::kCopy &&
            transform->result_place == block->values[input].place;
        take(transform, copies ? StepRole::kMemory : StepRole::kInput, number,
             static_cast<uint16_t>(slot));
      }
    }
    for (size_t slot = 0; slot < instruction.outputs.size(); ++slot) {
      const ValueId output = instruction.outputs[slot];
      if (output == kNoValue) continue;
      results[output] = {number, static_cast<uint16_t>(slot), nullptr};
    }
  }
}

}  // namespace switchyard::static_graph
