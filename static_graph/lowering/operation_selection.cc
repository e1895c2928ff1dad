// SPDX-License-Identifier: Apache-2.0
#include "static_graph/lowering/operation_selection.h"

#include "static_graph/dialect/kernel_attributes.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/lowering/call_lowering.h"

namespace switchyard::static_graph {

absl::StatusOr<phi::selection::OperationPolicy> ReadPolicy(
    const ir::Operation& op, const phi::KernelTable& table) {
  const ir::Attribute attribute = op.attribute(kPolicyAttr);
  const DialectOp* const record = FindDialectOp(op);
  if (!attribute || record == nullptr) {
    return phi::selection::OperationPolicy();
  }
  auto policy = phi::selection::ParseOperationPolicy(attribute.text(), table);
  if (!policy.ok()) return Annotate(policy.status(), record->info->name);
  return policy;
}

absl::StatusOr<phi::selection::Policy> PolicyOf(
    const ir::Operation& op, const phi::KernelTable& table,
    const phi::selection::Policy& policy) {
  if (!op.attribute(kPolicyAttr)) return policy;
  SY_ASSIGN_OR_RETURN(const phi::selection::OperationPolicy own,
                      ReadPolicy(op, table));
  return Merged(policy, own);
}

absl::StatusOr<phi::selection::Policy> CallLowering::PolicyFor(
    const ir::Operation& op) const {
  return PolicyOf(op, *table_, options_->admitted());
}

absl::StatusOr<phi::selection::Selection> SelectAlone(
    ir::Context* context, const ir::Operation& op,
    const phi::KernelTable& table, const LoweringOptions& options,
    const phi::selection::Policy& policy) {
  SY_ASSIGN_OR_RETURN(const OpCall call, ReadCall(op));
  const CallLowering calls(context, &table, &options);
  return calls.SelectInLayout(call, LayoutDescriptor(), policy);
}

}  // namespace switchyard::static_graph
