// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/write_op.h"

#include <utility>

#include "static_graph/ir/op_definition.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph {
absl::Status RegisterWriteOp(ir::Context* context) {
  if (context->FindOp(kWriteOp) != nullptr) return absl::OkStatus();
  ir::OpDefinition write;
  write.name = kWriteOp;
  write.Add<ir::InplaceVariantTrait>();
  return context->RegisterOp(std::move(write));
}

absl::Status BuildWrite(ir::Builder& builder, ir::Value target,
                        ir::Value value) {
  SY_RETURN_IF_ERROR(RegisterWriteOp(builder.context()));
  ir::OperationState state;
  state.definition = builder.context()->FindOp(kWriteOp);
  state.operands = {target, value};
  builder.Create(state);
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
