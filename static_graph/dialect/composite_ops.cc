// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/composite_ops.h"

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/infer_types.h"
#include "static_graph/dialect/op_call.h"

namespace switchyard::static_graph {

Shape IrOpsBase::shape(ir::Value value) const {
  return value ? value.tensor_type().shape() : Shape();
}

DataType IrOpsBase::dtype(ir::Value value) const {
  return value ? value.tensor_type().dtype() : DataType::kUndefined;
}

ir::Value IrOpsBase::Call(const DialectOp& op, const InputValues& inputs,
                          absl::Span<const AttrRef> attrs) {
  return CallAll(op, inputs, attrs, 1)[0];
}

std::vector<ir::Value> IrOpsBase::CallAll(const DialectOp& op,
                                          const InputValues& inputs,
                                          absl::Span<const AttrRef> attrs,
                                          size_t count) {
  std::vector<ir::Value> results;
  results.reserve(count);
  const absl::Status status = BuildOp(*builder_, op, inputs, attrs, &results);
  if (!status.ok()) Fail(status);
  return results;
}

absl::Status RunComposite(ir::Builder& builder, const DialectOp& op,
                          const InputValues& inputs,
                          absl::Span<const AttrRef> attrs,
                          const phi::ArgList<const bool>& wanted,
                          std::vector<ir::Value>* results) {
  for (size_t i = 0; i < attrs.size(); ++i) {
    if (!attrs[i].supplied()) continue;
    return absl::UnimplementedError(absl::StrCat(
        op.info->attrs[i].name,
        " must be known where the operator is written as others, got ",
        ToString(attrs[i])));
  }
  results->assign(wanted.size(), ir::Value());
  absl::InlinedVector<ir::Value*, 8> outputs(wanted.size());
  for (size_t slot = 0; slot < outputs.size(); ++slot) {
    if (wanted[slot]) outputs[slot] = &(*results)[slot];
  }
  return op.composite(builder, {inputs, attrs, {outputs, wanted.segments()}});
}

namespace {

// Returns what InferMeta infers for the call; empty for an operator that is a
// call of others, which check their own arguments.
absl::StatusOr<std::vector<TensorSpec>> InferResults(
    const DialectOp& op, const InputValues& inputs,
    absl::Span<const AttrRef> attrs, const phi::ArgList<const bool>& wanted) {
  if (IsAnothersCall(op)) return std::vector<TensorSpec>();
  std::vector<ir::TensorType> types;
  for (ir::Value input : inputs.elements()) {
    types.push_back(input ? input.tensor_type() : ir::TensorType());
  }
  return InferMeta(*op.info, {{types, inputs.segments()}, attrs, wanted});
}

}  // namespace

absl::Status BuildComposite(ir::Builder& builder, const DialectOp& op,
                            const InputValues& inputs,
                            absl::Span<const AttrRef> attrs,
                            const phi::ArgList<const bool>& wanted,
                            std::vector<ir::Value>* results) {
  const char* name = op.info->name;
  const absl::StatusOr<std::vector<TensorSpec>> inferred =
      InferResults(op, inputs, attrs, wanted);
  if (!inferred.ok()) return Annotate(inferred.status(), name);
  SY_RETURN_IF_ERROR(Annotate(
      RunComposite(builder, op, inputs, attrs, wanted, results), name));
  for (size_t slot = 0; slot < results->size(); ++slot) {
    if (!wanted[slot]) continue;
    if (!(*results)[slot]) {
      return absl::InternalError(
          absl::StrCat(name, ": its composite yields no output ", slot));
    }
    if (inferred->empty()) continue;
    const int output = wanted.segments().argument_of(static_cast<int>(slot));
    const absl::Status status =
        CheckInferred(op.info->outputs[output].name, (*inferred)[slot],
                      (*results)[slot].tensor_type());
    if (!status.ok()) {
      return absl::InternalError(
          absl::StrCat(name, ": its composite: ", status.message()));
    }
  }
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
