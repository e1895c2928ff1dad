// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/program_ports.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "phi/legacy/every_operator.h"
#include "static_graph/translate/control_operators.h"

namespace switchyard::static_graph {
namespace {

using translate::OpDesc;
using Slots = google::protobuf::RepeatedPtrField<OpDesc::Var>;

// Variables by column: the order of the old framework's lists.
using Columns = std::map<int, std::string>;

absl::Status AddPort(const OpDesc& op, const Slots& slots,
                     std::string_view slot_name, Columns* columns) {
  std::string variable;
  for (const OpDesc::Var& slot : slots) {
    if (slot.parameter() == slot_name && slot.arguments_size() == 1) {
      variable = slot.arguments(0);
    }
  }
  if (variable.empty()) {
    return ArgumentError(slot_name, "one variable", "none or several");
  }
  int column = 0;
  for (const OpDesc::Attr& attr : op.attrs()) {
    if (attr.name() == "col") column = attr.i();
  }
  if (!columns->emplace(column, variable).second) {
    return ArgumentError("col", "another for each variable",
                         absl::StrCat(column, " twice"));
  }
  return absl::OkStatus();
}

// Says which variables of a block operators have used so far.
class VariableUses {
 public:
  explicit VariableUses(const ParsedBlock& block)
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
    for (const OpDesc::Var& slot : slots) {
      for (const std::string& name : slot.arguments()) Note(name);
    }
  }

 private:
  const ParsedBlock& block_;
  std::vector<bool> used_;  // By number.
};

// Reads before writes, by first use.
std::vector<std::string> FeedsByUse(const ParsedBlock& block) {
  VariableUses uses(block);
  std::vector<std::string> feeds;
  for (const OpDesc& op : block.ops()) {
    for (const OpDesc::Var& slot : op.inputs()) {
      for (const std::string& name : slot.arguments()) {
        if (uses.Note(name)) feeds.push_back(name);
      }
    }
    uses.Note(op.outputs());
  }
  return feeds;
}

// Whether only the gradient of the operator reads that output.
bool IsIntermediate(const OpDesc& op, const std::string& slot) {
  const phi::LegacyForm* form = phi::FindLegacyForm(op.type());
  const phi::LegacySlot* output =
      form == nullptr ? nullptr : form->output(slot);
  return output != nullptr && (output->intermediate || output->argument < 0);
}

// The variable that only says whether a loop goes on; "" for another operator.
std::string LoopCondition(const OpDesc& op) {
  if (ControlKindOf(op.type()) != ControlKind::kWhile) return "";
  const absl::StatusOr<ControlOperator> loop = ReadControlOperator(op);
  if (!loop.ok()) return "";
  for (const OpDesc::Var& slot : op.inputs()) {
    for (const std::string& name : slot.arguments()) {
      if (name == loop->condition) return name;
    }
  }
  return "";
}

// Last writes that no later operator reads, in order.
std::vector<std::string> FetchesByUse(const ParsedBlock& block) {
  VariableUses uses(block);  // By the operators that follow.
  std::vector<std::string> fetches;
  OpDesc op;
  for (int i = block.ops_size() - 1; i >= 0; --i) {
    if (IsPort(block.TypeOf(i))) continue;
    block.Read(i, &op);
    uses.Note(LoopCondition(op));
    for (int k = op.outputs_size() - 1; k >= 0; --k) {
      const OpDesc::Var& slot = op.outputs(k);
      const bool intermediate = IsIntermediate(op, slot.parameter());
      for (const std::string& name : slot.arguments()) {
        if (uses.Note(name) && !intermediate) fetches.push_back(name);
      }
    }
    uses.Note(op.inputs());
  }
  std::reverse(fetches.begin(), fetches.end());
  return fetches;
}

}  // namespace

bool IsPort(std::string_view type) {
  return type == "feed" || type == "fetch" || type == "read" ||
         (type.substr(0, 7) == "create_" &&
          type.find("reader") != std::string_view::npos);
}

absl::StatusOr<ProgramPorts> FindPorts(const ParsedBlock& block) {
  Columns feeds, fetches;
  ProgramPorts ports;
  std::vector<std::string> read;
  OpDesc op;
  for (int i = 0; i < block.ops_size(); ++i) {
    if (!IsPort(block.TypeOf(i))) continue;
    block.Read(i, &op);
    absl::Status status;
    if (op.type() == "feed") {
      status = AddPort(op, op.outputs(), "Out", &feeds);
    } else if (op.type() == "fetch") {
      status = AddPort(op, op.inputs(), "X", &fetches);
    } else if (op.type() == "read") {
      for (const OpDesc::Var& slot : op.outputs()) {
        read.insert(read.end(), slot.arguments().begin(),
                    slot.arguments().end());
      }
    }
    if (!status.ok()) return Annotate(status, op.type());
  }
  for (const auto& [column, name] : feeds) ports.feeds.push_back(name);
  ports.feeds.insert(ports.feeds.end(), read.begin(), read.end());
  if (ports.feeds.empty()) ports.feeds = FeedsByUse(block);
  std::vector<std::string> fetched;
  for (const auto& [column, name] : fetches) fetched.push_back(name);
  if (fetched.empty()) fetched = FetchesByUse(block);
  std::map<std::string, int> counts;
  for (const std::string& name : fetched) {
    const int before = counts[name]++;
    ports.fetches.push_back(
        {before == 0 ? name : absl::StrCat(name, ".", before), name});
  }
  return ports;
}

}  // namespace switchyard::static_graph
