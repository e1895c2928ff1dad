// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/instruction_query.h"

#include <utility>

namespace switchyard::static_graph {

InstructionQuery::InstructionQuery(const Instruction& instruction, Place place,
                                   std::vector<const TensorMeta*> inputs,
                                   absl::Span<const AttrRef> attrs,
                                   absl::Span<const TensorSpec> outputs)
    : inputs_(std::move(inputs)) {
  for (size_t slot = 0; slot < outputs.size(); ++slot) {
    outputs_.push_back(instruction.outputs[slot] == kNoValue ? nullptr
                                                             : &outputs[slot]);
  }
  query_.op = instruction.op;
  query_.inputs = {inputs_, instruction.inputs.segments()};
  query_.attrs = attrs;
  query_.dtype = instruction.key_dtype;
  query_.place = place;
  query_.outputs = {outputs_, instruction.outputs.segments()};
}

}  // namespace switchyard::static_graph
