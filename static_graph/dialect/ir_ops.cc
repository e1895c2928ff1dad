// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/ir_ops.h"

#include "absl/strings/str_cat.h"
#include "static_graph/dialect/build_op.h"

namespace switchyard::static_graph {

absl::Span<ir::Value> CompositeCall::output_list(int i) const {
  const int begin = output_slots_.begin(i);
  const int end = output_slots_.end(i);
  bool any = false;
  for (int slot = begin; slot < end; ++slot) any |= wanted_[slot];
  return outputs_.subspan(begin, any ? end - begin : 0);
}

Shape IrOpsBase::shape(ir::Value value) const {
  return value ? value.type().shape() : Shape();
}

DataType IrOpsBase::dtype(ir::Value value) const {
  return value ? value.type().dtype() : DataType::kUndefined;
}

ir::Value IrOpsBase::Call(const DialectOp& op,
                          absl::Span<const ir::Value> inputs,
                          absl::Span<const AttrRef> attrs) {
  return CallAll(op, inputs, phi::Slots(static_cast<int>(inputs.size())), attrs,
                 1)[0];
}

std::vector<ir::Value> IrOpsBase::CallAll(const DialectOp& op,
                                          absl::Span<const ir::Value> inputs,
                                          phi::Slots slots,
                                          absl::Span<const AttrRef> attrs,
                                          size_t count) {
  std::vector<ir::Value> results;
  if (status_.ok()) {
    status_ = BuildOp(*builder_, op, inputs, slots, attrs, &results);
  }
  if (!status_.ok()) results.assign(count, ir::Value());
  return results;
}

absl::Status BuildComposite(ir::Builder& builder, const DialectOp& op,
                            absl::Span<const ir::Value> inputs,
                            phi::Slots input_slots,
                            absl::Span<const AttrRef> attrs,
                            absl::Span<const bool> wanted,
                            phi::Slots output_slots,
                            std::vector<ir::Value>* results) {
  results->assign(output_slots.size(), ir::Value());
  CompositeCall call(&builder, inputs, input_slots, attrs, wanted,
                     absl::MakeSpan(*results), output_slots);
  SY_RETURN_IF_ERROR(Annotate(op.composite(call), op.info->name));
  for (size_t slot = 0; slot < results->size(); ++slot) {
    if (!wanted[slot] || (*results)[slot]) continue;
    return absl::InternalError(
        absl::StrCat(op.info->name, ": its composite yields no output ", slot));
  }
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
