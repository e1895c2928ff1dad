// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/planned_memory.h"

#include <algorithm>

namespace switchyard::static_graph {

PlannedMemory PlannedMemoryOf(const ShapeSpecialization& made) {
  PlannedMemory memory;
  memory.places = made.memory;
  std::vector<int> block_of(made.tensors.size(), -1);  // By root.
  const auto touch = [&](TensorId tensor, int step) {
    if (tensor == kNoTensor) return;
    const TensorId root = OutermostOf(made.tensors, made.tensors[tensor].root);
    const TensorSlot& slot = made.tensors[root];
    if (slot.storage != TensorSlot::Storage::kPlanned) return;
    if (block_of[root] < 0) {
      block_of[root] = static_cast<int>(memory.blocks.size());
      memory.blocks.push_back(
          {slot.meta.place, slot.offset, slot.bytes, step, step});
    }
    PlannedMemory::Block& block = memory.blocks[block_of[root]];
    block.last = std::max(block.last, step);
  };
  for (size_t i = 0; i < made.steps.size(); ++i) {
    const Step& step = made.steps[i];
    const int number = static_cast<int>(i);
    for (TensorId input : step.inputs) touch(input, number);
    for (TensorId output : step.outputs) touch(output, number);
    for (const auto& captures : step.captures) {
      for (TensorId capture : captures) touch(capture, number);
    }
    memory.steps.push_back({step.kernel, step.call, step.role});
  }
  return memory;
}

}  // namespace switchyard::static_graph
