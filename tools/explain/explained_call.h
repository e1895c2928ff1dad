// SPDX-License-Identifier: Apache-2.0
// ExplainedCall: the Explanation of a call of any operator. The words of a
// command line become a call in explain_command.h.
#ifndef SWITCHYARD_TOOLS_EXPLAIN_EXPLAINED_CALL_H_
#define SWITCHYARD_TOOLS_EXPLAIN_EXPLAINED_CALL_H_

#include <deque>
#include <memory>
#include <vector>

#include "framework/tensor/dense_tensor.h"
#include "phi/core/arg_buffer.h"
#include "phi/core/kernel_table.h"
#include "phi/selection/call_parser.h"
#include "phi/selection/explain.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/ir/context.h"
#include "tools/explain/value_facts.h"

namespace switchyard::phi::selection {

// Explains (phi/selection/explain.h) a call of any operator, prepared as
// dispatch and the static builder prepare it: promotion, InferMeta, query. A
// call that no kernel of the operator answers (a composite, or a call of
// another operator by `invoke:`) is written out in the IR, as lowering does it,
// and each of the calls that it is made of is explained.
class ExplainedCall {
 public:
  struct Options {
    const KernelTable* kernels;
    Policy policy;
    // Where the call runs if it has neither tensors nor a Place.
    Place place;
    // The in-place variant (`relu_`): what is written must allow it.
    bool inplace = false;
    // An eager call that records its gradient: an operator whose gradient is
    // that of its composite then runs as the composite.
    bool recorded = false;
    // Holds the operators of CurrentDialectOps(), is used by one call at a time
    // and outlives the explanation. Null: a composite registers them again,
    // which costs more than the rest of its explanation.
    static_graph::ir::Context* context = nullptr;
  };

  // Errors, which begin with the operator's name, are those of the call itself:
  // what promotion, InferMeta and the composite refuse, and a tensor that can't
  // be written in place where the call does that. That no kernel fits is part
  // of the explanation.
  static absl::StatusOr<std::unique_ptr<const ExplainedCall>> Make(
      const OpInfo& op, ParsedCall call, const Options& options);

  ExplainedCall(const ExplainedCall&) = delete;
  ExplainedCall& operator=(const ExplainedCall&) = delete;

  const Explanation& explanation() const { return explanation_; }

 private:
  // The inputs of a call of the composite, by slot.
  struct Inputs {
    std::vector<TensorMeta> metas;
    std::vector<const TensorMeta*> pointers;  // Null where absent.
  };

  // The outputs of a call, by slot.
  struct Outputs {
    std::vector<TensorSpec> metas;
    std::vector<const TensorSpec*> pointers;  // Null where not wanted.
    ArgLayout layout;
  };

  ExplainedCall(const OpInfo& op, ParsedCall call, const Options& options);

  // Runs InferMeta on the call; returns its error if it refuses.
  absl::Status InferOutputs(Outputs* outputs);
  // Checks what an in-place call that is composed writes.
  absl::Status CheckComposedTarget();
  // Explains the row of kernels; the composite is a candidate if `composes`.
  absl::Status ExplainKernels(const OpKernels& op_kernels, bool composes);
  // Explains a row that ends with the operator's composite.
  absl::Status ExplainBeforeComposite(const OpKernels& op_kernels);
  // Checks the tensors that the call writes over as they were `given`, by slot,
  // before promotion; errors are those of dispatch.
  absl::Status CheckWritten(absl::Span<const TensorMeta> given,
                            const Outputs& outputs) const;
  absl::Status ExplainComposed();
  // Makes `explanation` that of a call that runs as the operations after
  // `before` (null: from the block's beginning) and before `end` (null: to the
  // block's end).
  absl::Status ExplainOperations(static_graph::ir::Operation* before,
                                 static_graph::ir::Operation* end,
                                 Explanation* explanation);
  absl::StatusOr<Explanation> ExplainOperation(static_graph::ir::Operation* op);
  absl::Status ExplainExpanded(static_graph::ir::Operation* op,
                               Explanation* explanation);
  // Returns the query for `call`, which lives as long as this object.
  absl::StatusOr<Query> BuildQuery(const static_graph::OpCall& call);

  const OpInfo& op_;
  ParsedCall call_;
  Options options_;
  static_graph::ir::Context own_context_;  // Empty if the options have one.
  static_graph::ir::Context& context_;
  static_graph::ir::Block* block_ = nullptr;
  ValueFactsMap facts_;
  // Storage that the queries borrow; for a composite, the queries of its calls.
  std::deque<static_graph::OpCall> calls_;
  std::deque<Inputs> inputs_;
  std::deque<Outputs> outputs_;
  Explanation explanation_;
};

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_TOOLS_EXPLAIN_EXPLAINED_CALL_H_
