// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/array_variables.h"

#include <cstdint>
#include <vector>

#include "framework/tensor/tensor_array.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/register_dialects.h"

namespace switchyard::static_graph {

using translate::OpDesc;
using translate::VarDesc;

const VarDesc* FindArray(const Variables& variables, const std::string& name) {
  const auto found = variables.find(name);
  const bool array = found != variables.end() &&
                     IsKind(*found->second, VariableKind::kTensorArray);
  return array ? found->second : nullptr;
}

const phi::LegacySlot* UpdatedSlot(const phi::LegacyForm& form) {
  for (const phi::LegacySlot& slot : form.inputs) {
    if (form.output(slot.name) != nullptr) return &slot;
  }
  return nullptr;
}

OpDesc WithPrevious(const OpDesc& op, const phi::LegacyForm& form,
                    const Variables& variables) {
  const std::string slot = UpdatedSlot(form)->name;
  OpDesc call = op;
  OpDesc::Var* previous = nullptr;
  for (OpDesc::Var& input : *call.mutable_inputs()) {
    if (input.parameter() == slot) previous = &input;
  }
  // A slot without variables is as good as none.
  if (previous != nullptr && previous->arguments_size() > 0) return call;
  for (const OpDesc::Var& output : op.outputs()) {
    if (output.parameter() == slot && output.arguments_size() == 1 &&
        FindArray(variables, output.arguments(0)) != nullptr) {
      if (previous == nullptr) previous = call.add_inputs();
      *previous = output;
    }
  }
  return call;
}

absl::StatusOr<ir::Value> BuildEmptyArray(ir::Builder& builder,
                                          const VarDesc& variable) {
  SY_ASSIGN_OR_RETURN(const TensorSpec spec, SpecOfVariable(variable));
  const DialectOp* create = FindOperator(*builder.context(), "create_array");
  if (create == nullptr) {
    return absl::UnimplementedError(
        "tensor arrays need the operator create_array");
  }
  std::vector<int64_t> extents;
  const Shape element = ElementShape(spec.shape);
  for (const Dim dim : element.dims()) {
    extents.push_back(dim.known() ? dim.value() : -1);
  }
  const absl::Span<const int64_t> element_shape = extents;
  return BuildOp(builder, *create, {},
                 {AttrRef(spec.dtype), AttrRef(element_shape)});
}

}  // namespace switchyard::static_graph
