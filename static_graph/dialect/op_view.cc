// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/op_view.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "static_graph/dialect/build_op.h"

namespace switchyard::static_graph {

absl::StatusOr<OpCall> OpView::BuildCall(ir::Builder& builder,
                                         const DialectOp& op,
                                         const FlatValues& inputs,
                                         absl::Span<const AttrRef> attrs) {
  SY_RETURN_IF_ERROR(Annotate(inputs.Check(), op.info->name));
  std::vector<ir::Value> results;
  SY_RETURN_IF_ERROR(
      BuildOp(builder, op, inputs.tensors(), inputs.slots(), attrs, &results));
  for (const ir::Value result : results) {
    if (result) return ReadCall(*result.defining_op());
  }
  return absl::InternalError(
      absl::StrCat(op.info->name, ": a call must have a result, got none"));
}

absl::StatusOr<OpCall> OpView::ReadAs(const ir::Operation& operation,
                                      const DialectOp& op) {
  const DialectOp* actual = FindDialectOp(operation);
  if (actual != &op) {
    return ArgumentError(
        "operation", absl::StrCat("a call of ", op.info->name),
        actual == nullptr ? "another operation" : actual->info->name);
  }
  return ReadCall(operation);
}

}  // namespace switchyard::static_graph
