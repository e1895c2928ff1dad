// SPDX-License-Identifier: Apache-2.0
#include "static_graph/program/autocast.h"

#include "phi/promotion/autocast.h"

namespace switchyard::static_graph {
namespace {

DataType DtypeOf(ir::Value input) {
  const ir::TensorType type = input ? input.tensor_type() : ir::TensorType();
  return type ? type.dtype() : DataType::kUndefined;
}

}  // namespace

absl::Status CallOp(ir::Builder& builder, const DialectOp& op,
                    const InputValues& inputs, absl::Span<const AttrRef> attrs,
                    std::vector<ir::Value>* results,
                    const BuildOpOptions& options) {
  // Inputs that don't fit are BuildOp's to refuse.
  const bool counts_fit =
      inputs.segments().arguments() == static_cast<int>(op.info->inputs.size());
  const DataType target =
      options.inplace || !counts_fit
          ? DataType::kUndefined
          : phi::promotion::AutocastTarget(*op.info, inputs, DtypeOf);
  if (target == DataType::kUndefined) {
    return BuildOp(builder, op, inputs, attrs, results, options);
  }
  const ir::Operation* const before = builder.previous();
  const auto build = [&]() -> absl::Status {
    std::vector<ir::Value> cast(inputs.elements().begin(),
                                inputs.elements().end());
    for (ir::Value& input : cast) {
      if (!phi::promotion::IsAutocast(DtypeOf(input))) continue;
      SY_ASSIGN_OR_RETURN(input, BuildCast(builder, input, target));
    }
    return BuildOp(builder, op, {cast, inputs.segments()}, attrs, results,
                   options);
  };
  const absl::Status status = build();
  while (!status.ok() && builder.previous() != before) {
    builder.previous()->Erase();
  }
  return status;
}

}  // namespace switchyard::static_graph
