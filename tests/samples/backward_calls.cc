// SPDX-License-Identifier: Apache-2.0
#include "tests/samples/backward_calls.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/kernel_dialect.h"
#include "static_graph/ir/context.h"
#include "static_graph/ir/program.h"

namespace switchyard {
namespace {

namespace ir = static_graph::ir;
using phi::GradSource;
using phi::selection::ParsedCall;
using static_graph::DialectOp;

ir::Context& SharedContext() {
  static ir::Context* const context = [] {
    auto* made = new ir::Context();
    static_graph::RegisterOpDialect(made, static_graph::AllDialectOps())
        .IgnoreError();
    return made;
  }();
  return *context;
}

std::string TensorText(const char* name, ir::TensorType type) {
  return absl::StrCat(name, "=", std::string(Name(type.dtype())),
                      ToString(type.shape()));
}

bool HasFloating(const std::vector<ir::Value>& values, const phi::Slots& slots,
                 int argument) {
  for (int i = slots.begin(argument); i < slots.end(argument); ++i) {
    if (values[i] && IsFloating(values[i].type().dtype())) return true;
  }
  return false;
}

// Whether eager would record the call: a gradient flows in and one flows out.
bool IsRecorded(const phi::GradInfo& grad, const std::vector<ir::Value>& inputs,
                const phi::Slots& input_slots,
                const std::vector<ir::Value>& outputs,
                const phi::Slots& output_slots) {
  return std::any_of(grad.inputs.begin(), grad.inputs.end(),
                     [&](const GradSource& source) {
                       return source.kind == GradSource::Kind::kOutputGrad &&
                              HasFloating(outputs, output_slots, source.index);
                     }) &&
         std::any_of(grad.outputs.begin(), grad.outputs.end(),
                     [&](int8_t input) {
                       return HasFloating(inputs, input_slots, input);
                     });
}

// The inputs of the backward operator that come from `values`.
void AddInputs(const phi::InputInfo& input, const GradSource& source,
               const std::vector<ir::Value>& values, const phi::Slots& slots,
               CallWords* words) {
  const bool gradient = source.kind == GradSource::Kind::kOutputGrad;
  for (int slot = slots.begin(source.index); slot < slots.end(source.index);
       ++slot) {
    if (!values[slot]) continue;
    const ir::TensorType type = values[slot].type();
    if (gradient && input.optional && !IsFloating(type.dtype())) continue;
    words->inputs.push_back(TensorText(input.name, type));
  }
}

}  // namespace

const DialectOp* FindDialectRecord(const phi::OpInfo& op) {
  for (const DialectOp* record : static_graph::AllDialectOps()) {
    if (record->info == &op) return record;
  }
  return nullptr;
}

absl::StatusOr<std::vector<CallWords>> BackwardCalls(const DialectOp& op,
                                                     const ParsedCall& call) {
  std::vector<CallWords> calls;
  if (op.grad == nullptr) return calls;
  ir::Program program(&SharedContext(), op.info->name);
  std::vector<ir::Value> inputs;
  for (const phi::selection::TensorDesc& desc : call.tensors()) {
    inputs.emplace_back();
    if (desc.shape == nullptr) continue;
    inputs.back() =
        program.AddFeed(absl::StrCat(inputs.size()),
                        SharedContext().GetTensorType(desc.dtype, *desc.shape));
  }
  ir::Builder builder(&SharedContext(), &program.entry());
  std::vector<ir::Value> outputs;
  SY_RETURN_IF_ERROR(
      BuildOp(builder, op, inputs, call.slots(), call.attrs(), &outputs));
  std::vector<uint16_t> begins(op.info->outputs.size() + 1);
  SY_RETURN_IF_ERROR(
      phi::OutputSlots(*op.info, call.slots(), call.attrs(), begins.data()));
  const phi::Slots output_slots(begins.data(),
                                static_cast<int>(op.info->outputs.size()));
  if (!IsRecorded(*op.grad, inputs, call.slots(), outputs, output_slots)) {
    return calls;
  }

  const phi::OpInfo& backward = *op.grad->backward;
  CallWords words;
  words.op = op.backward;
  for (size_t i = 0; i < op.grad->inputs.size(); ++i) {
    const GradSource& source = op.grad->inputs[i];
    const bool input = source.kind == GradSource::Kind::kInput;
    AddInputs(backward.inputs[i], source, input ? inputs : outputs,
              input ? call.slots() : output_slots, &words);
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
