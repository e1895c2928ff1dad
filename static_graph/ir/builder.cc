// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/builder.h"

#include "static_graph/ir/builtin.h"

namespace switchyard::static_graph::ir {

void Builder::SetInsertionPoint(Operation* before) {
  block_ = before->parent();
  before_ = before;
}

void Builder::SetInsertionPointAfter(Operation* op) {
  block_ = op->parent();
  before_ = op->next();
}

Operation* Builder::previous() const {
  return before_ == nullptr ? block_->back() : before_->previous();
}

Operation* Builder::Create(const OperationState& state) {
  Operation* op = Operation::Create(state);
  block_->Insert(op, before_);
  return op;
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
