// SPDX-License-Identifier: Apache-2.0
#include "static_graph/passes/to_value_form.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "static_graph/dialect/alias_analysis.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/dialect/view_inverse.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/clone.h"
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
  explicit Conversion(ir::Context* context)
      : context_(context), builder_(context) {}

  // As deep as regions are nested, which the verifier limits.
  absl::Status Visit(ir::Block& block) {
    for (ir::Operation* op : block) SY_RETURN_IF_ERROR(Visit(op));
    return absl::OkStatus();
  }

  // Adds to `states` those that were written, with what they are before `user`;
  // those that it has stay.
  absl::Status AddWrittenStates(ir::Operation* user,
                                std::vector<ir::NamedValue>* states) {
    HashSet<std::string> updated;
    for (const ir::NamedValue& state : *states) updated.insert(state.name);
    for (const Memory& memory : memories_) {
      const ir::Value root = memory.root;
      if (memory.version == 0 || root.role() != ir::ArgumentRole::kState) {
        continue;
      }
      const std::string name(root.argument_name());
      if (Contains(updated, name)) continue;
      SY_ASSIGN_OR_RETURN(const ir::Value value, Current(root, user));
      states->push_back({name, value});
    }
    return absl::OkStatus();
  }

  // The values of `block` whose memory was written, at its end.
  void ListCurrent(const ir::Block& block,
                   HashMap<ir::Value, ir::Value>* current) {
    for (ir::Value value : order_) {
      if (memories_[members_[value].memory].version == 0 ||
          value.parent_block() != &block) {
        continue;
      }
      const absl::StatusOr<ir::Value> now = Current(value, nullptr);
      (*current)[value] = now.ok() ? *now : ir::Value();
    }
  }

 private:
  // Memory that several values may lie in.
  struct Memory {
    ir::Value root;   // Has all of it.
    int version = 0;  // How often it was written.
    // The last write through a view that the rest can't be made again from, and
    // that view.
    std::string writer;
    std::string view;
  };
  // A value in such memory.
  struct Member {
    size_t memory = 0;
    ir::Value source;  // What it is a view of, or was written over; null: root.
    bool view = false;  // Otherwise it is all of `source`.
    ir::Value current;  // What stands for it as of `version` of the memory.
    int version = 0;
  };

  Member& MemberOf(ir::Value value) {
    const auto [found, added] = members_.try_emplace(value);
    if (added) {
      found->second.memory = memories_.size();
      found->second.current = value;
      memories_.emplace_back().root = value;
      order_.push_back(value);
    }
    return found->second;
  }

  // Adds a value that has just been made in the memory of `source`.
  void AddMember(ir::Value value, ir::Value source, bool view) {
    const size_t memory = MemberOf(source).memory;
    members_[value] = {memory, source, view, value, memories_[memory].version};
    order_.push_back(value);
  }

  absl::Status Visit(ir::Operation* op) {
    const std::vector<ir::Value> operands = op->operands();
    for (int i = 0; i < op->num_operands(); ++i) {
      if (!Contains(members_, operands[i])) continue;
      SY_ASSIGN_OR_RETURN(const ir::Value value, Current(operands[i], op));
      if (value != operands[i]) op->SetOperand(i, value);
    }
    for (int i = 0; i < op->num_regions(); ++i) {
      SY_RETURN_IF_ERROR(Visit(op->block(i)));
    }
    if (op->has<ir::InplaceVariantTrait>()) return Write(op, operands);
    for (ir::Value result : op->results()) {
      const MemorySource source = SourceOf(*op, result.index());
      if (source.view) AddMember(result, operands[source.operand], true);
    }
    return absl::OkStatus();
  }

  // Returns the value that stands for `value` where `user` is, or at the end of
  // its block if that is null. Views are taken again where their base changed.
  absl::StatusOr<ir::Value> Current(ir::Value value, ir::Operation* user) {
    const Memory& memory = memories_[MemberOf(value).memory];
    // Without recursion: a program may have any number of views in a row.
    std::vector<ir::Value> stale;
    while (members_[value].version != memory.version) {
      stale.push_back(value);
      value = members_[value].source;
      if (!value) return Lost(memory, user);
    }
    ir::Value base = members_[value].current;
    while (!stale.empty()) {
      value = stale.back();
      stale.pop_back();
      Member& member = members_[value];
      if (member.view) {
        TakeAgain(value, base, memory.version, user);
      } else {
        member.current = base;
        member.version = memory.version;
      }
      base = member.current;
    }
    return base;
  }

  static absl::Status Lost(const Memory& memory, const ir::Operation* user) {
    const std::string why = absl::StrCat(
        "reads memory that ", memory.writer, " wrote through ", memory.view,
        ", a view that it can't be made from again; write to a copy");
    if (user != nullptr) return RefuseAt(*user, why);
    return absl::InvalidArgumentError(why);
  }

  // Calls the operator that made the view `value` again, of `base`. All views
  // that it made are of the same memory.
  void TakeAgain(ir::Value value, ir::Value base, int version,
                 ir::Operation* user) {
    const ir::Operation& view = *value.defining_op();
    // Where all users to come see it, inside of control flow too.
    while (user != nullptr && user->parent() != view.parent()) {
      user = user->parent_op();
    }
    ir::ValueMap map;
    map[view.operand(SourceOf(view, value.index()).operand)] = base;
    ir::Operation* again = ir::Clone(view, map).release();
    view.parent()->Insert(again, user);
    for (int i = 0; i < view.num_results(); ++i) {
      const auto member = members_.find(view.result(i));
      if (member == members_.end()) continue;
      member->second.current = again->result(i);
      member->second.version = version;
    }
  }

  absl::Status CheckWritable(const ir::Operation& op, ir::Value root) const {
    if (root.parent_block() != op.parent()) {
      return RefuseAt(op,
                      "writes to a value from outside of the branch or loop; "
                      "write to a copy, and yield it");
    }
    const ir::Operation* made_by = root.defining_op();
    if (made_by != nullptr && made_by->num_regions() > 0) {
      return RefuseAt(op,
                      absl::StrCat("writes to a result of ", NameOf(*made_by),
                                   ", which may share its memory with "
                                   "others; write to a copy"));
    }
    if (made_by == nullptr && root.role() == ir::ArgumentRole::kNone) {
      return RefuseAt(
          op, absl::StrCat("writes to an argument of ", NameOf(*op.parent_op()),
                           "; write to a copy, and yield it"));
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
      const size_t memory = MemberOf(operands[sources[i].operand]).memory;
      SY_RETURN_IF_ERROR(CheckWritable(*op, memories_[memory].root));
      if (!written.insert(memory).second) {
        return RefuseAt(*op, "writes twice to the same memory");
      }
    }
    const std::string name = NameOf(*op);
    op->SetDefinition(value_form);
    builder_.SetInsertionPointAfter(op);
    for (int i = 0; i < op->num_results(); ++i) {
      if (sources[i].operand < 0) continue;
      const ir::Value target = operands[sources[i].operand];
      ++memories_[MemberOf(target).memory].version;
      AddMember(op->result(i), target, false);
      WriteBack(name, target, op->result(i));
    }
    return absl::OkStatus();
  }

  // Notes that `target` is `value` now, and so what it is a view of, as far as
  // that can be made again.
  void WriteBack(const std::string& writer, ir::Value target, ir::Value value) {
    Memory& memory = memories_[members_[target].memory];
    while (true) {
      Member& member = members_[target];
      member.current = value;
      member.version = memory.version;
      if (!member.source) return;
      if (member.view) {
        const ir::Operation& view = *target.defining_op();
        absl::StatusOr<ir::Value> base = absl::UnimplementedError("");
        if (HasInverse(view)) base = BuildViewInverse(builder_, view, value);
        if (!base.ok() || base->type() != member.source.type()) {
          memory.writer = writer;
          memory.view = NameOf(view);
          return;
        }
        value = *base;
      }
      target = member.source;
    }
  }

  ir::Context* context_;
  ir::Builder builder_;
  std::vector<Memory> memories_;
  HashMap<ir::Value, Member> members_;
  std::vector<ir::Value> order_;  // Of `members_`, as they were added.
};

}  // namespace

absl::StatusOr<bool> ToValueForm::Run(ir::Program& program) {
  if (ir::FindInplaceVariant(program.entry()) == nullptr) return false;
  Conversion conversion(program.context());
  SY_RETURN_IF_ERROR(conversion.Visit(program.entry()));
  ir::Operation* end = program.return_op();
  if (end == nullptr) return true;
  std::vector<ir::NamedValue> states = program.new_states();
  const size_t before = states.size();
  SY_RETURN_IF_ERROR(conversion.AddWrittenStates(end, &states));
  if (states.size() == before) return true;
  const ir::Location location = end->location();
  program.Return(program.fetches(), states)->SetLocation(location);
  return true;
}

absl::Status ConvertToValueForm(ir::Program& program,
                                HashMap<ir::Value, ir::Value>* current) {
  Conversion conversion(program.context());
  SY_RETURN_IF_ERROR(conversion.Visit(program.entry()));
  conversion.ListCurrent(program.entry(), current);
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
