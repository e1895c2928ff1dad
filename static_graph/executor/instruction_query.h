// SPDX-License-Identifier: Apache-2.0
// InstructionQuery: what selection is asked about the call of an instruction.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_INSTRUCTION_QUERY_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_INSTRUCTION_QUERY_H_

#include <vector>

#include "absl/types/span.h"
#include "phi/selection/query.h"
#include "static_graph/executor/plan.h"

namespace switchyard::static_graph {

// A query with the operator and key dtype of an instruction, and the lists that
// it refers to.
class InstructionQuery {
 public:
  // `inputs` has null where an input is absent. Their metadata, the attributes
  // and `outputs`, the metadata inferred for all outputs, must outlive this.
  // `place` is where the call belongs.
  InstructionQuery(const Instruction& instruction, Place place,
                   std::vector<const TensorMeta*> inputs,
                   absl::Span<const AttrRef> attrs,
                   absl::Span<const TensorSpec> outputs);

  // The query refers to this.
  InstructionQuery(const InstructionQuery&) = delete;
  InstructionQuery& operator=(const InstructionQuery&) = delete;

  const phi::selection::Query& get() const { return query_; }

 private:
  std::vector<const TensorMeta*> inputs_;
  std::vector<const TensorSpec*> outputs_;  // Null where none is needed.
  phi::selection::Query query_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_INSTRUCTION_QUERY_H_
