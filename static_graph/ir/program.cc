// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/program.h"

#include <utility>

#include "static_graph/ir/builder.h"
#include "static_graph/ir/builtin.h"
#include "static_graph/ir/clone.h"
#include "static_graph/ir/identifier.h"

namespace switchyard::static_graph::ir {
namespace {

Attribute NamesOf(Context* context, absl::Span<const NamedValue> values) {
  std::vector<std::string> names;
  for (const NamedValue& value : values) names.push_back(value.name);
  return context->GetStrings(names);
}

absl::Span<const std::string> NamesIn(const Operation* op, const char* name) {
  const Attribute names = op == nullptr ? Attribute() : op->attribute(name);
  return names ? names.strings() : absl::Span<const std::string>();
}

}  // namespace

// Attributes are given at once: nothing can fail after the operation.
Program::Program(Context* context, std::string_view name) : context_(context) {
  RegisterBuiltinDialect(context);
  OperationState state;
  state.definition = context->FindOp(kProgramOp);
  state.regions = 1;
  state.attributes = {
      {context->GetString(kSymbolName), context->GetSymbol(name)}};
  op_ = Operation::Create(state);
}

Program::~Program() {
  if (op_ != nullptr) op_->Destroy();
}

Program::Program(Program&& other) noexcept
    : context_(other.context_), op_(std::exchange(other.op_, nullptr)) {}

Program& Program::operator=(Program&& other) noexcept {
  std::swap(context_, other.context_);
  std::swap(op_, other.op_);
  return *this;
}

std::string_view Program::name() const {
  const Attribute symbol = op_->attribute(kSymbolName);
  return symbol ? symbol.text() : std::string_view();
}

Value Program::AddFeed(std::string_view name, Type type) {
  const Attribute text = context_->GetString(name);
  Value value = entry().AddArgument(type, ArgumentRole::kFeed, text);
  if (IsIdentifier(name)) value.SetHint(text);
  return value;
}

Value Program::AddState(std::string_view name, Type type) {
  const Attribute text = context_->GetString(name);
  Value value = entry().AddArgument(type, ArgumentRole::kState, text);
  if (IsIdentifier(name)) value.SetHint(text);
  return value;
}

Operation* Program::Return(absl::Span<const NamedValue> fetches,
                           absl::Span<const NamedValue> states) {
  if (Operation* old = return_op(); old != nullptr) old->Erase();
  Builder builder(context_, &entry());
  OperationState state;
  state.definition = context_->FindOp(kReturnOp);
  for (const NamedValue& fetch : fetches) state.operands.push_back(fetch.value);
  for (const NamedValue& next : states) state.operands.push_back(next.value);
  // A list without names is left out: as the text is read.
  if (!fetches.empty()) {
    state.attributes.push_back(
        builder.Named(kFetchNames, NamesOf(context_, fetches)));
  }
  if (!states.empty()) {
    state.attributes.push_back(
        builder.Named(kStateNames, NamesOf(context_, states)));
  }
  return builder.Create(state);
}

Operation* Program::return_op() const {
  Operation* last = entry().back();
  return last != nullptr && last->name() == kReturnOp ? last : nullptr;
}

std::vector<NamedValue> Program::fetches() const {
  const Operation* op = return_op();
  std::vector<NamedValue> fetches;
  for (const std::string& name : NamesIn(op, kFetchNames)) {
    const int i = static_cast<int>(fetches.size());
    if (i >= op->num_operands()) break;
    fetches.push_back({name, op->operand(i)});
  }
  return fetches;
}

std::vector<NamedValue> Program::new_states() const {
  const Operation* op = return_op();
  int i = static_cast<int>(NamesIn(op, kFetchNames).size());
  std::vector<NamedValue> states;
  for (const std::string& name : NamesIn(op, kStateNames)) {
    if (i >= op->num_operands()) break;
    states.push_back({name, op->operand(i++)});
  }
  return states;
}

Program Program::Clone() const {
  ValueMap map;
  map.reserve(entry().size() + entry().num_arguments());
  return Program(context_, ir::Clone(*op_, map).release());
}

}  // namespace switchyard::static_graph::ir
