// SPDX-License-Identifier: Apache-2.0
#include "static_graph/lowering/assign_state_memory.h"

#include <vector>

#include "framework/base/hash_map.h"
#include "static_graph/dialect/alias_analysis.h"
#include "static_graph/dialect/kernel_attributes.h"
#include "static_graph/ir/block.h"
#include "static_graph/ir/builder.h"

namespace switchyard::static_graph {
namespace {

bool Is(const ir::Operation& op, phi::Trait trait) {
  const DialectOp* record = FindDialectOp(op);
  return record != nullptr && record->info->has(trait);
}

// Moves the optimizer steps that nothing but the return depends on to the end
// of the entry block, and returns them in order. Empty without a return.
std::vector<ir::Operation*> MakeTail(ir::Program* program) {
  ir::Operation* end = program->return_op();
  std::vector<ir::Operation*> movable;
  for (ir::Operation* op : program->entry()) {
    if (!Is(*op, phi::Trait::kOptimizer)) continue;
    bool only_returned = true;
    for (ir::Value result : op->results()) {
      for (const ir::OpOperand& use : result.uses()) {
        only_returned &= use.owner() == end;
      }
    }
    if (only_returned) movable.push_back(op);
  }
  for (ir::Operation* op : movable) op->MoveBefore(end);
  return movable;
}

// Returns for each argument of the entry block the new value that the program
// returns for the state; null where it keeps it.
std::vector<ir::Value> NewStates(const ir::Program& program) {
  std::vector<ir::Value> values(program.entry().num_arguments());
  for (const ir::NamedValue& updated : program.new_states()) {
    const ir::Value state =
        program.FindArgument(ir::ArgumentRole::kState, updated.name);
    if (state) values[state.index()] = updated.value;
  }
  return values;
}

// True if nothing reads `value`, or a view of it, but `reader` and operations
// that stand before all of the tail.
bool IsDeadAfter(ir::Value value, const ir::Operation* reader,
                 const HashSet<const ir::Operation*>& tail) {
  for (ir::Value read : WithViews(value)) {
    for (const ir::OpOperand& use : read.uses()) {
      const ir::Operation* user = use.owner();
      if (user == reader && read == value) continue;
      if (user->has<ir::TerminatorTrait>() || Contains(tail, user)) {
        return false;
      }
    }
  }
  return true;
}

// How often `op` has `value` as an operand.
int CountUses(const ir::Operation& op, ir::Value value) {
  int count = 0;
  for (ir::Value operand : op.operands()) count += operand == value ? 1 : 0;
  return count;
}

class Decision {
 public:
  Decision(ir::Program* program, CallTransforms* transforms)
      : program_(program),
        transforms_(transforms),
        builder_(program->context()) {}

  absl::Status Run() {
    const std::vector<ir::Operation*> tail = MakeTail(program_);
    tail_.insert(tail.begin(), tail.end());
    first_of_tail_ = tail.empty() ? nullptr : tail.front();
    new_states_ = NewStates(*program_);
    return Visit(program_->entry());
  }

 private:
  absl::Status Visit(ir::Block& block) {
    for (ir::Operation* op : block) {
      for (int i = 0; i < op->num_regions(); ++i) {
        SY_RETURN_IF_ERROR(Visit(op->block(i)));
      }
      if (Is(*op, phi::Trait::kInplaceOnly)) {
        SY_RETURN_IF_ERROR(Decide(op));
      }
    }
    return absl::OkStatus();
  }

  absl::Status Decide(ir::Operation* op) {
    std::vector<int> inplace;
    for (int i = 0; i < op->num_results(); ++i) {
      const int operand = ir::GetAlias(*op, i).inplace_of;
      inplace.push_back(operand);
      if (operand < 0 ||
          MayWriteState(*op, op->operand(operand), op->result(i))) {
        continue;
      }
      // Not inside the tail: a copy is no optimizer step.
      builder_.SetInsertionPoint(Contains(tail_, op) ? first_of_tail_ : op);
      SY_ASSIGN_OR_RETURN(const ir::Value copy,
                          transforms_->Copy(builder_, op->operand(operand)));
      op->SetOperand(operand, copy);
    }
    op->SetAttribute(
        program_->context()->GetString(kInplaceAttr),
        program_->context()->GetAttribute(absl::MakeConstSpan(inplace)));
    return absl::OkStatus();
  }

  // True if `op` may write `result` into the memory of `operand`, a state.
  bool MayWriteState(const ir::Operation& op, ir::Value operand,
                     ir::Value result) const {
    return Contains(tail_, &op) && operand.role() == ir::ArgumentRole::kState &&
           CountUses(op, operand) == 1 &&
           new_states_[operand.index()] == result &&
           IsDeadAfter(operand, &op, tail_);
  }

  ir::Program* program_;
  CallTransforms* transforms_;
  ir::Builder builder_;
  std::vector<ir::Value> new_states_;
  HashSet<const ir::Operation*> tail_;
  ir::Operation* first_of_tail_ = nullptr;
};

}  // namespace

absl::Status AssignStateMemory(ir::Program* program,
                               CallTransforms* transforms) {
  return Decision(program, transforms).Run();
}

}  // namespace switchyard::static_graph
