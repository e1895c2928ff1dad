// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx/onnx_block.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "static_graph/translate/onnx/check_nodes.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/node_forms.h"
#include "static_graph/translate/onnx/onnx_call.h"

namespace switchyard::static_graph {
namespace {

// The greatest number of functions that are called one inside another.
constexpr int kMaxFunctionDepth = 32;

absl::Status TooDeep(const char* what) {
  return ArgumentError(
      what, absl::StrCat("nested at most ", kMaxFunctionDepth, " deep"),
      "more");
}

// Gives attributes that refer to one of the function's its value. One that the
// call leaves out, and that has no default, is left out here as well.
void Resolve(const OnnxScope& scope, ForeignOperator* op) {
  for (size_t i = op->attrs.size(); i-- > 0;) {
    if (op->attrs[i].reference.empty()) continue;
    ForeignAttr value;
    if (!scope.AttributeOfCall(op->attrs[i].reference, &value)) {
      op->attrs.Remove(i);
      continue;
    }
    value.name = op->attrs[i].name;
    op->attrs[i] = value;
  }
  for (std::string& name : op->inputs[0].variables) {
    if (scope.IsAbsent(name)) name.clear();
  }
}

// The body of a function in the place of its call.
absl::Status CallFunction(const ForeignOperator& op, int function,
                          ir::Builder& builder, OnnxScope* scope,
                          OnnxTranslation* translation) {
  if (translation->functions >= kMaxFunctionDepth) return TooDeep("functions");
  const OnnxBlock& body = translation->model.blocks(function);
  const ForeignSlot& given = op.inputs[0];
  const ForeignSlot& wanted = op.outputs[0];
  if (given.variables.size() > body.inputs().size() ||
      wanted.variables.size() > body.outputs().size()) {
    return ArgumentError("inputs and outputs", "those of the function", "more");
  }
  OnnxScope inside(&op, &body);
  for (size_t i = 0; i < body.inputs().size(); ++i) {
    const std::string formal(body.inputs()[i]);
    if (i >= given.variables.size() || given.variables[i].empty()) {
      inside.SetAbsent(formal);
      continue;
    }
    SY_ASSIGN_OR_RETURN(const ir::Value value,
                        translation->Read(builder, *scope, given.variables[i]));
    SY_RETURN_IF_ERROR(inside.Set(formal, value));
  }
  ++translation->functions;
  const absl::Status status =
      TranslateOnnxBlock(function, builder, &inside, translation);
  --translation->functions;
  SY_RETURN_IF_ERROR(status);
  for (size_t i = 0; i < wanted.variables.size(); ++i) {
    if (wanted.variables[i].empty()) continue;
    SY_ASSIGN_OR_RETURN(
        const ir::Value value,
        translation->Read(builder, inside, std::string(body.outputs()[i])));
    SY_RETURN_IF_ERROR(scope->Set(wanted.variables[i], value));
  }
  return absl::OkStatus();
}

absl::Status TranslateNode(const OnnxBlock& block, const ForeignOperator& op,
                           ir::Builder& builder, OnnxScope* scope,
                           OnnxTranslation* translation) {
  if (--translation->operators_left < 0) {
    return absl::UnimplementedError("functions and loops must be nested less");
  }
  const int function = translation->model.FunctionOf(op);
  if (function >= 0) {
    return CallFunction(op, function, builder, scope, translation);
  }
  OnnxCall call(op, VersionOfNode(block, op), builder, scope, translation);
  if (CallByForm(call)) return call.status();
  const OnnxLowering* const lowering = FindLowering(op.domain, op.type);
  if (lowering != nullptr) {
    lowering->lower(call);
  } else {
    call.Refuse("no operator here takes inputs of these dtypes");
  }
  return call.status();
}

}  // namespace

absl::Status TranslateOnnxBlock(int block, ir::Builder& builder,
                                OnnxScope* scope,
                                OnnxTranslation* translation) {
  const OnnxBlock& nodes = translation->model.blocks(block);
  ForeignOperator op;
  for (int i = 0; i < nodes.ops_size(); ++i) {
    nodes.Read(i, &op);
    Resolve(*scope, &op);
    builder.SetLocation(
        builder.context()->GetLocation(translation->into->name(), block, i));
    absl::Status status = TranslateNode(nodes, op, builder, scope, translation);
    if (status.ok()) status = translation->budget.Check();
    if (!status.ok()) return Annotate(status, OnnxNodePlace(block, i, op));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<ir::Value>> TranslateOnnxGraph(
    int block, ir::Builder& builder, const OnnxScope& around,
    absl::Span<const ir::Value> inputs, OnnxTranslation* translation) {
  const OnnxBlock& graph = translation->model.blocks(block);
  if (graph.inputs().size() != inputs.size()) {
    return ArgumentError(absl::StrCat("block ", block),
                         absl::StrCat("a graph of ", inputs.size(), " inputs"),
                         absl::StrCat(graph.inputs().size()));
  }
  OnnxScope scope(&around);
  for (size_t i = 0; i < inputs.size(); ++i) {
    SY_RETURN_IF_ERROR(scope.Set(std::string(graph.inputs()[i]), inputs[i]));
  }
  for (const int number : graph.tensors()) {
    SY_ASSIGN_OR_RETURN(
        const ir::Value value,
        BuildHeld(builder, translation->model, graph.facts(number)));
    SY_RETURN_IF_ERROR(scope.Set(std::string(graph.NameOf(number)), value));
  }
  SY_RETURN_IF_ERROR(TranslateOnnxBlock(block, builder, &scope, translation));
  std::vector<ir::Value> outputs;
  for (const std::string_view name : graph.outputs()) {
    SY_ASSIGN_OR_RETURN(const ir::Value value,
                        translation->Read(builder, scope, std::string(name)));
    outputs.push_back(value);
  }
  return outputs;
}

}  // namespace switchyard::static_graph
