// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/program_ports.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "phi/legacy/forms/every_operator.h"
#include "static_graph/foreign/load_budget.h"
#include "static_graph/translate/control/control_operators.h"

namespace switchyard::static_graph {
namespace {

using Slots = ReusedList<ForeignSlot>;

// Variables by column: the order of the old framework's lists.
using Columns = std::map<int, std::string>;

// The variables that go into a program or come out of it.
class Ports {
 public:
  explicit Ports(const ForeignProgram& program)
      : file_size_(program.file_size()), held_(program.held()) {}

  void Add(const std::string& name) {
    // The name as a feed or as a variable and a fetch, by column, and among the
    // fetches' counts, in lists that grow.
    constexpr size_t kPort = 320;
    constexpr size_t kNames = 4;
    held_ += kPort + kNames * name.size();
    names_.push_back(name);
  }
  absl::Status Check() const { return CheckLoaded(file_size_, held_); }
  const std::vector<std::string>& names() const { return names_; }

 private:
  const size_t file_size_;
  size_t held_;
  std::vector<std::string> names_;
};

absl::Status AddPort(const ForeignOperator& op, const Slots& slots,
                     std::string_view slot_name, Columns* columns, Ports* all) {
  std::string variable;
  for (const ForeignSlot& slot : slots) {
    if (slot.name == slot_name && slot.count() == 1) {
      variable = slot.variables[0];
    }
  }
  if (variable.empty()) {
    return ArgumentError(slot_name, "one variable", "none or several");
  }
  int column = 0;
  for (const ForeignAttr& attr : op.attrs) {
    if (attr.name == "col") column = static_cast<int>(attr.integer());
  }
  if (!columns->emplace(column, variable).second) {
    return ArgumentError("col", "another for each variable",
                         absl::StrCat(column, " twice"));
  }
  all->Add(variable);
  return all->Check();
}

// Says which variables of a block operators have used so far.
class VariableUses {
 public:
  explicit VariableUses(const ForeignBlock& block)
      : block_(block), used_(static_cast<size_t>(block.vars_size())) {}

  // Notes a use. Returns true for the first one of a tensor that is no state.
  bool Note(std::string_view name) {
    const int number = block_.IndexOf(name);
    if (number < 0 || used_[number]) return false;
    used_[number] = true;
    const VariableFacts& facts = block_.facts(number);
    return facts.dense && !facts.persistable;
  }
  void Note(const Slots& slots) {
    for (const ForeignSlot& slot : slots) {
      for (const std::string& name : slot.variables) Note(name);
    }
  }

 private:
  const ForeignBlock& block_;
  std::vector<bool> used_;  // By number.
};

// Reads before writes, by first use.
absl::StatusOr<std::vector<std::string>> FeedsByUse(const ForeignBlock& block) {
  VariableUses uses(block);
  Ports feeds(block.program());
  for (const ForeignOperator& op : block.ops()) {
    for (const ForeignSlot& slot : op.inputs) {
      for (const std::string& name : slot.variables) {
        if (uses.Note(name)) feeds.Add(name);
      }
    }
    SY_RETURN_IF_ERROR(feeds.Check());
    uses.Note(op.outputs);
  }
  return feeds.names();
}

// Whether only the gradient of the operator reads that output.
bool IsIntermediate(const ForeignOperator& op, const std::string& slot) {
  const phi::LegacyForm* form = phi::FindLegacyForm(op.type);
  const phi::LegacySlot* output =
      form == nullptr ? nullptr : form->output(slot);
  return output != nullptr && (output->intermediate || output->argument < 0);
}

// The variable that only says whether a loop goes on; "" for another operator.
std::string LoopCondition(const ForeignOperator& op) {
  if (ControlKindOf(op.type) != ControlKind::kWhile) return "";
  const absl::StatusOr<ControlOperator> loop = ReadControlOperator(op);
  if (!loop.ok()) return "";
  for (const ForeignSlot& slot : op.inputs) {
    for (const std::string& name : slot.variables) {
      if (name == loop->condition) return name;
    }
  }
  return "";
}

// Last writes that no later operator reads, in order.
absl::StatusOr<std::vector<std::string>> FetchesByUse(
    const ForeignBlock& block) {
  VariableUses uses(block);  // By the operators that follow.
  Ports ports(block.program());
  ForeignOperator op;
  for (int i = block.ops_size() - 1; i >= 0; --i) {
    if (IsPort(block.TypeOf(i))) continue;
    block.Read(i, &op);
    uses.Note(LoopCondition(op));
    for (int k = op.outputs.size() - 1; k >= 0; --k) {
      const ForeignSlot& slot = op.outputs[k];
      const bool intermediate = IsIntermediate(op, slot.name);
      for (const std::string& name : slot.variables) {
        if (uses.Note(name) && !intermediate) ports.Add(name);
      }
    }
    SY_RETURN_IF_ERROR(ports.Check());
    uses.Note(op.inputs);
  }
  std::vector<std::string> fetches = ports.names();
  std::reverse(fetches.begin(), fetches.end());
  return fetches;
}

}  // namespace

bool IsPort(std::string_view type) {
  return type == "feed" || type == "fetch" || type == "read" ||
         (type.substr(0, 7) == "create_" &&
          type.find("reader") != std::string_view::npos);
}

absl::StatusOr<ProgramPorts> FindPorts(const ForeignBlock& block) {
  Columns feeds, fetches;
  ProgramPorts ports;
  Ports all(block.program()), read(block.program());
  ForeignOperator op;
  for (int i = 0; i < block.ops_size(); ++i) {
    if (!IsPort(block.TypeOf(i))) continue;
    block.Read(i, &op);
    absl::Status status;
    if (op.type == "feed") {
      status = AddPort(op, op.outputs, "Out", &feeds, &all);
    } else if (op.type == "fetch") {
      status = AddPort(op, op.inputs, "X", &fetches, &all);
    } else if (op.type == "read") {
      for (const ForeignSlot& slot : op.outputs) {
        for (const std::string& name : slot.variables) read.Add(name);
      }
      status = read.Check();
    }
    if (!status.ok()) return Annotate(status, op.type);
  }
  for (const auto& [column, name] : feeds) ports.feeds.push_back(name);
  ports.feeds.insert(ports.feeds.end(), read.names().begin(),
                     read.names().end());
  if (ports.feeds.empty()) {
    SY_ASSIGN_OR_RETURN(ports.feeds, FeedsByUse(block));
  }
  std::vector<std::string> fetched;
  for (const auto& [column, name] : fetches) fetched.push_back(name);
  if (fetched.empty()) {
    SY_ASSIGN_OR_RETURN(fetched, FetchesByUse(block));
  }
  std::map<std::string, int> counts;
  for (const std::string& name : fetched) {
    const int before = counts[name]++;
    ports.fetches.push_back(
        {before == 0 ? name : absl::StrCat(name, ".", before), name});
  }
  return ports;
}

}  // namespace switchyard::static_graph
