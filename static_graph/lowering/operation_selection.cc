// SPDX-License-Identifier: Apache-2.0
#include "static_graph/lowering/operation_selection.h"

#include "static_graph/dialect/kernel_attributes.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/lowering/call_selector.h"

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

absl::StatusOr<phi::selection::Selection> SelectAlone(
    const ir::Operation& op, const phi::KernelTable& table,
    const LoweringOptions& options, const phi::selection::Policy& policy) {
  SY_ASSIGN_OR_RETURN(const OpCall call, ReadCall(op));
  const CallSelector selector(&table, &options);
  return selector.SelectInLayout(call, LayoutDescriptor(), policy);
}

}  // namespace switchyard::static_graph
