// SPDX-License-Identifier: Apache-2.0
#include "static_graph/passes/to_value_form.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "static_graph/dialect/alias_analysis.h"
#include "static_graph/dialect/cf_dialect.h"
#include "static_graph/dialect/custom_gradient.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/dialect/write_op.h"
#include "static_graph/ir/value_form.h"

namespace switchyard::static_graph {
namespace {

std::string NameOf(const ir::Operation& op) { return std::string(op.name()); }

absl::Status RefuseAt(const ir::Operation& op, std::string_view why) {
  return ir::AtLocation(absl::InvalidArgumentError(
                            absl::StrCat(NameOf(op), ": ", std::string(why))),
                        op.location());
}

// Visits operations in order and knows which value stands for each of those
// that lie in memory that views share or in-place variants write.
class Conversion {
 public:
  Conversion(ir::Context* context, bool keeps_gradients)
      : context_(context), memory_(context, keeps_gradients) {}

  SharedMemory& memory() { return memory_; }

  // The recursion is as deep as regions are nested, which the verifier bounds.
  absl::Status Visit(ir::Block& block) {
    for (ir::Operation* op : block) SY_RETURN_IF_ERROR(Visit(op));
    return absl::OkStatus();
  }

 private:
  absl::Status Visit(ir::Operation* op) {
    const std::vector<ir::Value> operands = op->operands();
    for (int i = 0; i < op->num_operands(); ++i) {
      for (HashSet<size_t>& touched : touched_) {
        touched.insert(memory_.MemoryOf(operands[i]));
      }
      if (!memory_.Knows(operands[i])) continue;
      SY_ASSIGN_OR_RETURN(const ir::Value value,
                          memory_.Current(operands[i], op));
      if (value != operands[i]) op->SetOperand(i, value);
    }
    if (op->name() == kWhileOp) return VisitLoop(op, operands);
    if (op->name() == kIfOp) return VisitBranches(op);
    for (int i = 0; i < op->num_regions(); ++i) {
      SY_RETURN_IF_ERROR(Visit(op->block(i)));
    }
    if (op->name() == kWriteOp) return Assign(op, operands);
    if (op->has<ir::InplaceVariantTrait>()) return Write(op, operands);
    if (op->name() == kYieldOp) yielded_ = operands;
    memory_.AddViews(*op, operands);
    return absl::OkStatus();
  }

  absl::Status CheckWritable(const ir::Operation& op, ir::Value root) const {
    if (root.parent_block() != op.parent()) {
      return RefuseAt(op,
                      "writes to a value from outside of the branch or loop; "
                      "write to a copy, and yield it");
    }
    const ir::Operation* made_by = root.defining_op();
    const bool argument =
        made_by == nullptr && root.role() == ir::ArgumentRole::kNone;
    const ir::Operation* around = op.parent_op();
    if (argument && (around->name() != kWhileOp ||
                     root.parent_block() != &around->block(1))) {
      return RefuseAt(op, absl::StrCat("writes to an argument of ",
                                       NameOf(*around), "; write to a copy"));
    }
    return absl::OkStatus();
  }

  // Makes `op` a call of the value form, whose results are what it wrote.
  absl::Status Write(ir::Operation* op,
                     const std::vector<ir::Value>& operands) {
    const ir::OpDefinition* value_form = ValueFormOf(*context_, *op);
    // Another dialect's pass replaces what it has of its own.
    if (value_form == nullptr) return absl::OkStatus();
    std::vector<MemorySource> sources;
    HashSet<size_t> written;
    for (int i = 0; i < op->num_results(); ++i) {
      sources.push_back(SourceOf(*op, i));
      if (sources[i].operand < 0) continue;
      const ir::Value target = operands[sources[i].operand];
      SY_RETURN_IF_ERROR(CheckWritable(*op, memory_.RootOf(target)));
      if (!written.insert(memory_.MemoryOf(target)).second) {
        return RefuseAt(*op, "writes twice to the same memory");
      }
    }
    memory_.builder().SetInsertionPointAfter(op);
    for (int i = 0; i < op->num_results(); ++i) {
      if (sources[i].operand < 0) continue;
      const ir::Value target = operands[sources[i].operand];
      memory_.Write(*op, target, op->result(i));
      memory_.AddWritten(op->result(i), target);
    }
    op->SetDefinition(value_form);
    return absl::OkStatus();
  }

  // A memory.write, which is nothing in value form.
  absl::Status Assign(ir::Operation* op,
                      const std::vector<ir::Value>& operands) {
    SY_RETURN_IF_ERROR(CheckWritable(*op, memory_.RootOf(operands[0])));
    memory_.builder().SetInsertionPointAfter(op);
    memory_.Write(*op, operands[0], op->operand(1));
    op->Erase();
    return absl::OkStatus();
  }

  // A result may be what either branch yields, in memory of its own or not.
  absl::Status VisitBranches(ir::Operation* op) {
    for (int branch = 0; branch < op->num_regions(); ++branch) {
      SY_RETURN_IF_ERROR(Visit(op->block(branch)));
      for (int i = 0; i < op->num_results(); ++i) {
        memory_.AddPerhaps(op->result(i), yielded_[i]);
      }
    }
    return absl::OkStatus();
  }

  absl::Status VisitLoop(ir::Operation* op,
                         const std::vector<ir::Value>& first) {
    touched_.emplace_back();
    for (int i = 0; i < op->num_regions(); ++i) {
      SY_RETURN_IF_ERROR(Visit(op->block(i)));
    }
    const HashSet<size_t> touched = std::move(touched_.back());
    touched_.pop_back();
    const std::vector<ir::Value> yielded = std::move(yielded_);
    const ir::Block& body = op->block(1);
    for (int i = 0; i < body.num_arguments(); ++i) {
      const ir::Value argument = body.argument(i);
      if (!memory_.Knows(argument) || !memory_.IsWritten(argument)) {
        memory_.AddPerhaps(op->result(i), first[i]);
        memory_.AddPerhaps(op->result(i), yielded[i]);
        continue;
      }
      SY_RETURN_IF_ERROR(CheckWritable(*op, memory_.RootOf(first[i])));
      SY_RETURN_IF_ERROR(CheckApart(*op, first, i, touched));
      SY_RETURN_IF_ERROR(CheckPassedOn(*op, yielded, i));
      memory_.builder().SetInsertionPointAfter(op);
      const bool same = memory_.IsWhole(yielded[i], argument) &&
                        first[i].type() == op->result(i).type();
      if (!same) {
        memory_.Lose(*op, first[i]);
        memory_.AddPerhaps(op->result(i), first[i]);
        memory_.AddPerhaps(op->result(i), yielded[i]);
        continue;
      }
      memory_.Write(*op, first[i], op->result(i));
      memory_.AddWritten(op->result(i), first[i]);
    }
    return absl::OkStatus();
  }

  // Checks that the loop knows the memory that its first iteration writes, that
  // of value `i` of `first`, as its argument alone.
  absl::Status CheckApart(const ir::Operation& op,
                          const std::vector<ir::Value>& first, int i,
                          const HashSet<size_t>& touched) {
    const size_t written = memory_.MemoryOf(first[i]);
    HashSet<size_t> others = touched;
    for (size_t k = 0; k < first.size(); ++k) {
      if (k != static_cast<size_t>(i)) {
        others.insert(memory_.MemoryOf(first[k]));
      }
    }
    bool apart = !Contains(others, written);
    for (const size_t perhaps : memory_.Perhaps(written)) {
      apart &= !Contains(others, perhaps);
    }
    if (apart) return absl::OkStatus();
    return RefuseAt(op, absl::StrCat("its body writes to value ", i,
                                     ", whose memory it knows by another name "
                                     "too; begin with a copy"));
  }

  // Checks that what becomes argument `i`, which the body writes, is memory
  // that nothing else has: the argument's own, or what the body made.
  absl::Status CheckPassedOn(const ir::Operation& op,
                             const std::vector<ir::Value>& yielded, int i) {
    const ir::Block& body = op.block(1);
    const ir::Value next = yielded[i];
    const ir::Value root = memory_.RootOf(next);
    int names = 0;
    for (ir::Value other : yielded) {
      names += memory_.MemoryOf(other) == memory_.MemoryOf(next) ? 1 : 0;
    }
    const ir::Operation* made_by = root.defining_op();
    const bool own = root == body.argument(i) && memory_.IsWhole(next, root);
    const bool made = root.parent_block() == &body && made_by != nullptr &&
                      made_by->num_regions() == 0;
    if (names == 1 && (own || made)) return absl::OkStatus();
    return RefuseAt(op, absl::StrCat("its body writes to value ", i,
                                     " and passes on memory that has another "
                                     "name too; yield a copy"));
  }

  ir::Context* context_;
  SharedMemory memory_;
  // The memories that each of the loops around uses.
  std::vector<HashSet<size_t>> touched_;
  std::vector<ir::Value> yielded_;  // By the region that was visited last.
};

}  // namespace

absl::StatusOr<bool> ToValueForm::Run(ir::Program& program) {
  if (ir::FindInplaceVariant(program.entry()) == nullptr) return false;
  Conversion conversion(program.context(), false);
  SY_RETURN_IF_ERROR(conversion.Visit(program.entry()));
  ir::Operation* end = program.return_op();
  if (end == nullptr) return true;
  std::vector<ir::NamedValue> states = program.new_states();
  const size_t before = states.size();
  SY_RETURN_IF_ERROR(conversion.memory().AddWrittenStates(end, &states));
  if (states.size() == before) return true;
  const ir::Location location = end->location();
  program.Return(program.fetches(), states)->SetLocation(location);
  return true;
}

absl::Status ConvertToValueForm(ir::Program& program,
                                HashMap<ir::Value, ir::Value>* current,
                                HashSet<ir::Value>* recorded) {
  SY_RETURN_IF_ERROR(RegisterCustomGradient(program.context()));
  Conversion conversion(program.context(), true);
  SY_RETURN_IF_ERROR(conversion.Visit(program.entry()));
  SharedMemory& memory = conversion.memory();
  memory.ListCurrent(program.entry(), current);
  recorded->insert(memory.recorded().begin(), memory.recorded().end());
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
