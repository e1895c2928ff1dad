// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/builder.h"

#include "static_graph/ir/builtin.h"

namespace switchyard::static_graph::ir {

void Builder::SetInsertionPoint(Operation* before) {
  block_ = before->parent();
  before_ = before;
  location_ = before->location();
}

void Builder::SetInsertionPointAfter(Operation* op) {
  block_ = op->parent();
  before_ = op->next();
  location_ = op->location();
}

Operation* Builder::previous() const {
  return before_ == nullptr ? block_->back() : before_->previous();
}

Operation* Builder::Create(const OperationState& state) {
  Operation* op = Operation::Create(state);
  context_->CountOperation(op->size());
  if (!op->location()) op->SetLocation(location_);
  block_->Insert(op, before_);
  return op;
}

absl::StatusOr<Operation*> Builder::CreateInferred(OperationState state) {
  const auto* interface = state.definition->interface<InferTypesInterface>();
  if (interface == nullptr) {
    return absl::FailedPreconditionError(
        state.definition->name + ": the operation does not infer its types");
  }
  absl::StatusOr<std::vector<Type>> types = interface->infer(context_, state);
  if (!types.ok()) {
    return AtLocation(Annotate(types.status(), state.definition->name),
                      state.location ? state.location : location_);
  }
  state.results = *std::move(types);
  return Create(state);
}

NamedAttribute Builder::Named(std::string_view name, Attribute value) {
  return {context_->GetString(name), value};
}

NamedAttribute Builder::Named(std::string_view name, AttrRef value) {
  return {context_->GetString(name), context_->GetAttribute(value)};
}

Value Builder::Constant(Attribute constant) {
  RegisterBuiltinDialect(context_);
  OperationState state;
  state.definition = context_->FindOp(kConstantOp);
  state.results = {constant.constant_type()};
  state.attributes = {Named(kValue, constant)};
  return Create(state)->result(0);
}

}  // namespace switchyard::static_graph::ir
