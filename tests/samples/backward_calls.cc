// SPDX-License-Identifier: Apache-2.0
#include "tests/samples/backward_calls.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/types/spec_text.h"
#include "phi/promotion/op_promotion.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/ir/context.h"
#include "static_graph/ir/program.h"
#include "tests/samples/dialect_ops.h"

namespace switchyard {
namespace {

namespace ir = static_graph::ir;
using phi::GradSource;
using phi::selection::ParsedCall;
using static_graph::DialectOp;

std::string TensorText(const char* name, ir::TensorType type) {
  return absl::StrCat(name, "=", SpecText(type.spec()));
}

bool HasFloating(absl::Span<const ir::Value> values) {
  for (ir::Value value : values) {
    if (value && IsDifferentiable(value.tensor_type().dtype())) return true;
  }
  return false;
}

phi::promotion::InputType TypeOf(const TensorMeta* meta) {
  if (meta == nullptr) return {};
  return {meta->dtype, meta->shape.rank() == 0};
}

// Whether eager would record the call: a gradient flows in and one flows out.
bool IsRecorded(const phi::GradInfo& grad,
                const phi::ArgList<const ir::Value>& inputs,
                const phi::ArgList<const ir::Value>& outputs) {
  return std::any_of(grad.inputs.begin(), grad.inputs.end(),
                     [&](const GradSource& source) {
                       return source.kind == GradSource::Kind::kOutputGrad &&
                              HasFloating(outputs.list(source.index));
                     }) &&
         std::any_of(grad.outputs.begin(), grad.outputs.end(), [&](int input) {
           return HasFloating(inputs.list(input));
         });
}

// The inputs of the backward operator that come from `values`.
void AddInputs(const phi::InputInfo& input, const GradSource& source,
               const phi::ArgList<const ir::Value>& values, CallWords* words) {
  const bool gradient = source.kind == GradSource::Kind::kOutputGrad;
  for (ir::Value value : values.list(source.index)) {
    if (!value) continue;
    const ir::TensorType type = value.tensor_type();
    if (gradient && input.optional && !IsDifferentiable(type.dtype())) continue;
    words->inputs.push_back(TensorText(input.name, type));
  }
}

}  // namespace

absl::StatusOr<std::vector<CallWords>> BackwardCalls(const DialectOp& op,
                                                     const ParsedCall& call) {
  std::vector<CallWords> calls;
  if (op.grad == nullptr) return calls;
  ir::Program program(&EveryOperatorContext(), op.info->name);
  SY_ASSIGN_OR_RETURN(
      const DataType promoted,
      phi::promotion::PromotedDtype(*op.info, call.tensors(), TypeOf));
  std::vector<ir::Value> inputs;
  for (const auto [argument, slot, meta] : call.tensors()) {
    inputs.emplace_back();
    if (meta == nullptr) continue;
    // A tensor that is saved for the gradient has the promoted dtype.
    const bool cast = promoted != DataType::kUndefined &&
                      phi::promotion::IsPromoted(*op.info, argument);
    TensorSpec spec;
    spec.dtype = cast ? promoted : meta->dtype;
    spec.kind = meta->kind;
    spec.shape = meta->shape;
    inputs.back() = program.AddFeed(absl::StrCat(slot),
                                    EveryOperatorContext().GetTensorType(spec));
  }
  ir::Builder builder(&EveryOperatorContext(), &program.entry());
  std::vector<ir::Value> outputs;
  const phi::ArgSegments segments = call.tensors().segments();
  const phi::ArgList<const ir::Value> all_inputs(inputs, segments);
  SY_RETURN_IF_ERROR(BuildOp(builder, op, all_inputs, call.attrs(), &outputs));
  phi::ArgLayout layout;
  SY_RETURN_IF_ERROR(
      phi::LayOutOutputs(*op.info, segments, call.attrs(), &layout));
  const phi::ArgList<const ir::Value> all_outputs(outputs, layout.segments());
  if (!IsRecorded(*op.grad, all_inputs, all_outputs)) return calls;

  const phi::OpInfo& backward = *op.grad->backward;
  CallWords words;
  words.op = op.backward;
  for (size_t i = 0; i < op.grad->inputs.size(); ++i) {
    const GradSource& source = op.grad->inputs[i];
    const bool input = source.kind == GradSource::Kind::kInput;
    AddInputs(backward.inputs[i], source, input ? all_inputs : all_outputs,
              &words);
  }
  for (size_t i = 0; i < op.grad->attrs.size(); ++i) {
    if (op.grad->attrs[i] < 0) continue;
    words.attrs.push_back(
        absl::StrCat(backward.attrs[i].name, "=",
                     ToString(call.attrs()[op.grad->attrs[i]])));
  }
  auto parsed = phi::selection::ParseCall(backward, words.inputs, words.attrs,
                                          Place::Cpu());
  if (!parsed.ok()) return Annotate(parsed.status(), backward.name);
  SY_ASSIGN_OR_RETURN(std::vector<CallWords> further,
                      BackwardCalls(*op.backward, *parsed));
  calls.push_back(std::move(words));
  std::move(further.begin(), further.end(), std::back_inserter(calls));
  return calls;
}

}  // namespace switchyard
