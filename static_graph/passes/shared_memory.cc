// SPDX-License-Identifier: Apache-2.0
#include "static_graph/passes/shared_memory.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "static_graph/dialect/alias_analysis.h"
#include "static_graph/dialect/custom_gradient.h"
#include "static_graph/dialect/view_inverse.h"
#include "static_graph/ir/clone.h"

namespace switchyard::static_graph {
namespace {

std::string NameOf(const ir::Operation& op) { return std::string(op.name()); }

// The user's place, or the writer's where nobody wrote the user.
absl::Status Lost(const std::string& why, ir::Location writer,
                  const ir::Operation* user) {
  if (user == nullptr) return absl::InvalidArgumentError(why);
  const ir::Location location = user->location();
  return ir::AtLocation(
      absl::InvalidArgumentError(absl::StrCat(NameOf(*user), ": ", why)),
      location ? location : writer);
}

}  // namespace

SharedMemory::Member& SharedMemory::MemberOf(ir::Value value) {
  const auto [found, added] = members_.try_emplace(value);
  if (added) {
    found->second.memory = memories_.size();
    found->second.current = value;
    if (value.tensor_type()) {
      found->second.layout = RowMajorLayout(value.tensor_type());
    }
    memories_.emplace_back().root = value;
    order_.push_back(value);
  }
  return found->second;
}

void SharedMemory::AddMember(ir::Value value, ir::Value source, bool view,
                             ViewLayout layout) {
  const size_t memory = MemberOf(source).memory;
  members_[value] = {
      memory,           source, view, value, memories_[memory].version,
      std::move(layout)};
  order_.push_back(value);
}

bool SharedMemory::IsWhole(ir::Value value, ir::Value root) {
  while (value != root) {
    const Member& member = MemberOf(value);
    if (member.view || !member.source) return false;
    value = member.source;
  }
  return true;
}

void SharedMemory::AddViews(const ir::Operation& view,
                            const std::vector<ir::Value>& operands) {
  for (ir::Value result : view.results()) {
    const MemorySource source = SourceOf(view, result.index());
    if (!source.view) continue;
    const ir::Value base = operands[source.operand];
    ViewResult made = LayOutView(view, result, MemberOf(base).layout);
    if (made.shares == Certainty::kAlways) {
      AddMember(result, base, true, std::move(made.layout));
      continue;
    }
    MemberOf(result);
    if (made.shares == Certainty::kSometimes) AddPerhaps(result, base);
  }
}

void SharedMemory::AddPerhaps(ir::Value a, ir::Value b) {
  const size_t first = MemberOf(a).memory, second = MemberOf(b).memory;
  if (first == second) return;
  memories_[first].perhaps.push_back(second);
  memories_[second].perhaps.push_back(first);
}

absl::StatusOr<ir::Value> SharedMemory::Current(ir::Value value,
                                                ir::Operation* user) {
  const Memory& memory = memories_[MemberOf(value).memory];
  // Without recursion: a program may have any number of views in a row.
  std::vector<ir::Value> stale;
  while (members_[value].version != memory.version) {
    stale.push_back(value);
    value = members_[value].source;
    if (!value) return Lost(memory.lost, memory.lost_at, user);
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

// Calls the operator that made the view `value` again, of `base`. All views
// that it made are of the same memory.
void SharedMemory::TakeAgain(ir::Value value, ir::Value base, int version,
                             ir::Operation* user) {
  const ir::Operation& view = *value.defining_op();
  // All later users see it there, also inside of control flow.
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
    ir::Value& current = member->second.current;
    if (StopsGradient(view)) {  // Its gradient is its own.
      builder_.SetInsertionPointAfter(again);
      current = KeepGradient(again->result(i), current);
    } else {
      current = again->result(i);
    }
    member->second.version = version;
  }
}

ir::Value SharedMemory::KeepGradient(ir::Value value, ir::Value old) {
  const bool keeps = keeps_gradients_ && value.type() == old.type() &&
                     IsDifferentiable(value.tensor_type().dtype());
  return keeps ? BuildKeptGradient(builder_, value, old) : value;
}

void SharedMemory::LosePerhaps(const ir::Operation& writer, size_t memory) {
  std::vector<size_t> reached = {memory};
  HashSet<size_t> seen = {memory};
  for (size_t i = 0; i < reached.size(); ++i) {
    for (const size_t next : memories_[reached[i]].perhaps) {
      if (!seen.insert(next).second) continue;
      reached.push_back(next);
      ++memories_[next].version;
      memories_[next].lost_at = writer.location();
      memories_[next].lost = absl::StrCat(
          "reads memory that ", NameOf(writer),
          " wrote in some runs and not in others (of a reshape that copies or "
          "not, of a branch or a loop); write to a copy");
    }
  }
}

void SharedMemory::Lose(const ir::Operation& writer, ir::Value target) {
  const size_t memory = MemberOf(target).memory;
  LosePerhaps(writer, memory);
  ++memories_[memory].version;
  memories_[memory].lost_at = writer.location();
  memories_[memory].lost =
      absl::StrCat("reads memory that ", NameOf(writer),
                   " wrote in its first iteration; write to a copy");
}

void SharedMemory::Write(const ir::Operation& writer, ir::Value target,
                         ir::Value value) {
  const size_t number = MemberOf(target).memory;
  LosePerhaps(writer, number);
  Memory& memory = memories_[number];
  ++memory.version;
  bool recorded = true;
  while (true) {
    Member& member = members_[target];
    member.current = value;
    member.version = memory.version;
    if (!member.source) {
      if (recorded) recorded_.insert(target);
      return;
    }
    if (member.view) {
      const ir::Operation& view = *target.defining_op();
      const Member& base = members_[member.source];
      absl::StatusOr<ir::Value> written =
          BuildViewInverse(builder_, target, value, base.current);
      // A base that was lost before can't be completed by a part.
      const bool known = base.version + 1 == memory.version;
      if (!known || !written.ok() || written->type() != member.source.type()) {
        memory.lost_at = writer.location();
        memory.lost = absl::StrCat(
            "reads memory that ", NameOf(writer), " wrote through ",
            NameOf(view),
            ", a view that it can't be made from again; write to a copy");
        return;
      }
      value = *written;
      if (StopsGradient(view)) {
        recorded = false;
        value = KeepGradient(value, base.current);
      }
    }
    target = member.source;
  }
}

absl::Status SharedMemory::AddWrittenStates(
    ir::Operation* user, std::vector<ir::NamedValue>* states) {
  HashSet<std::string> updated;
  for (const ir::NamedValue& state : *states) updated.insert(state.name);
  for (size_t i = 0; i < memories_.size(); ++i) {
    const ir::Value root = memories_[i].root;
    if (memories_[i].version == 0 || root.role() != ir::ArgumentRole::kState) {
      continue;
    }
    const std::string name(root.argument_name());
    if (Contains(updated, name)) continue;
    SY_ASSIGN_OR_RETURN(const ir::Value value, Current(root, user));
    states->push_back({name, value});
  }
  return absl::OkStatus();
}

void SharedMemory::ListCurrent(const ir::Block& block,
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

}  // namespace switchyard::static_graph
