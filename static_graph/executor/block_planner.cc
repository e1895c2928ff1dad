// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/block_planner.h"

#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/device/transfer.h"
#include "phi/core/kernel_context.h"
#include "phi/selection/query.h"
#include "static_graph/dialect/alias_analysis.h"
#include "static_graph/dialect/cf_dialect.h"
#include "static_graph/dialect/kernel_attributes.h"
#include "static_graph/dialect/op_traits.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/executor/note_calls.h"
#include "static_graph/executor/run_value.h"
#include "static_graph/executor/tensor_copy.h"
#include "static_graph/ir/builtin.h"
#include "static_graph/ir/captures.h"
#include "static_graph/lowering/operation_selection.h"

namespace switchyard::static_graph {
namespace {

// Checks that a state is dense and that the tensors which enter a program are
// strided. A tensor of another layout lives in one block, from the kernel that
// makes it to the kernels that read it.
absl::Status CheckSupported(ir::Value value, PlanValue::Source source) {
  const ir::TensorType type = value.tensor_type();
  if (!type) {
    return TypeError("value", "a tensor where a program runs",
                     ir::ToString(value.type()));
  }
  const ir::Operation* const op = value.defining_op();
  const bool of_kernel = op != nullptr && op->num_regions() == 0;
  if (source == PlanValue::Source::kState &&
      type.kind() != TensorKind::kDense) {
    return TypeError(absl::StrCat("state ", std::string(value.argument_name())),
                     "dense", Name(type.kind()));
  }
  if (type.layout().strided() || of_kernel) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("programs take strided tensors, got ", ir::ToString(type)));
}

absl::StatusOr<const phi::KernelDef*> KernelOf(const phi::OpKernels& op_kernels,
                                               std::string_view symbol) {
  const phi::KernelDef* kernel = FindKernel(op_kernels, symbol);
  if (kernel == nullptr) {
    return absl::NotFoundError(absl::StrCat(
        op_kernels.op, ": the kernel ", std::string(symbol), " is not linked"));
  }
  return kernel;
}

// Whether some user of the value takes its memory for a result.
bool IsWritten(ir::Value value) {
  for (const ir::OpOperand& use : value.uses()) {
    const ir::Operation& user = *use.owner();
    for (int result = 0; result < user.num_results(); ++result) {
      const MemorySource source = SourceOf(user, result);
      if (!source.view && source.operand == use.index()) return true;
    }
  }
  return false;
}

// Marks the values whose elements tell those of a result that decides shapes.
void MarkSources(const Instruction& launch, std::vector<bool>* decides) {
  bool wanted = false;
  for (ValueId output : launch.outputs) {
    wanted |= output != kNoValue && (*decides)[output];
  }
  for (const auto [argument, slot, input] : launch.inputs.view()) {
    if (!wanted || input == kNoValue) continue;
    if (!launch.op->inputs[argument].no_need_buffer) (*decides)[input] = true;
  }
  for (const SuppliedValues& supplied : launch.supplied()) {
    for (ValueId value : supplied.values) (*decides)[value] = true;
  }
}

// Marks the values captured by control flow that decide shapes inside it.
void MarkCaptured(const Instruction& control, std::vector<bool>* decides) {
  for (const auto& block : control.blocks()) {
    for (size_t value = 0; value < block->values.size(); ++value) {
      const PlanValue& inner = block->values[value];
      if (inner.source != PlanValue::Source::kArgument ||
          !block->decides_shapes[value]) {
        continue;
      }
      const size_t own =
          control.kind == Instruction::Kind::kWhile ? control.inputs.size() : 0;
      const size_t index = static_cast<size_t>(inner.index);
      (*decides)[index < own ? control.inputs[index]
                             : block->captures[index - own]] = true;
    }
  }
}

}  // namespace

ValueId BlockPlanner::GetId(ir::Value value) const {
  if (!value) return kNoValue;
  const auto found = ids_.find(value);
  return found == ids_.end() ? kNoValue : found->second;
}

absl::StatusOr<ValueId> BlockPlanner::AddInput(ir::Value value,
                                               PlanValue::Source source,
                                               int index) {
  SY_RETURN_IF_ERROR(CheckSupported(value, source));
  const ValueId id = static_cast<ValueId>(block_->values.size());
  block_->values.push_back(
      {source, index, value.tensor_type().spec(), program_->place});
  targets_.push_back(id);
  ids_[value] = id;
  return id;
}

absl::Status BlockPlanner::AddComputed(ir::Value value, Place place) {
  SY_ASSIGN_OR_RETURN(const ValueId id,
                      AddInput(value, PlanValue::Source::kComputed, 0));
  block_->values[id].place = place;
  return absl::OkStatus();
}

absl::Status BlockPlanner::AddOperations(const ir::Block& block) {
  // In a program of many operations this is most of what loading needs.
  const size_t operations = static_cast<size_t>(block.size());
  block_->instructions.reserve(block_->instructions.size() + operations);
  block_->values.reserve(block_->values.size() + operations);
  for (const ir::Operation* op : block) {
    if (op->has<ir::TerminatorTrait>()) break;
    if (op->has<ir::ConstantTrait>()) {
      SY_RETURN_IF_ERROR(AddConstant(*op));
    } else if (op->name() == kIfOp) {
      SY_RETURN_IF_ERROR(AddControlFlow(*op, Instruction::Kind::kIf));
    } else if (op->name() == kWhileOp) {
      SY_RETURN_IF_ERROR(AddControlFlow(*op, Instruction::Kind::kWhile));
    } else {
      SY_RETURN_IF_ERROR(ir::AtLocation(AddLaunch(*op), op->location()));
    }
  }
  return absl::OkStatus();
}

absl::Status BlockPlanner::AddConstant(const ir::Operation& op) {
  const ir::Attribute value = op.attribute(ir::kValue);
  const ir::TensorType type = value.constant_type();
  TensorMeta meta;
  meta.dtype = type.dtype();
  meta.shape = type.shape();
  SY_ASSIGN_OR_RETURN(DenseTensor tensor, AllocateLike(meta));
  std::memcpy(tensor.mutable_data<void>(), value.bytes().data(),
              value.bytes().size());
  if (program_->place != Place::Cpu()) {
    SY_ASSIGN_OR_RETURN(tensor, Transferred(tensor, program_->place));
  }
  const int index = static_cast<int>(program_->constants.size());
  program_->constants.push_back(std::move(tensor));
  return AddInput(op.result(0), PlanValue::Source::kConstant, index).status();
}

absl::Status BlockPlanner::SetKernels(const ir::Operation& op,
                                      Instruction* launch) const {
  const phi::OpKernels* op_kernels = table_->Find(launch->op->name);
  if (op_kernels == nullptr) {
    return absl::NotFoundError(
        absl::StrCat(launch->op->name, ": no kernel of it is linked"));
  }
  launch->op_kernels = op_kernels;
  if (const ir::Attribute kernel = op.attribute(kKernelAttr)) {
    SY_ASSIGN_OR_RETURN(launch->kernel, KernelOf(*op_kernels, kernel.text()));
  }
  if (const ir::Attribute candidates = op.attribute(kCandidatesAttr)) {
    for (const std::string& symbol : candidates.strings()) {
      SY_ASSIGN_OR_RETURN(const phi::KernelDef* kernel,
                          KernelOf(*op_kernels, symbol));
      launch->MutableRare().candidates.push_back(kernel);
    }
  }
  SY_ASSIGN_OR_RETURN(const phi::selection::Policy policy,
                      PolicyOf(op, *table_, program_->policy));
  if (!(policy == program_->policy)) launch->MutableRare().policy = policy;
  if (launch->kernel == nullptr && launch->candidates().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(launch->op->name, ": the operation names no kernel"));
  }
  launch->key_dtype =
      op.attribute(kKeyDtypeAttr).As<DataType>().value_or(DataType::kUndefined);
  launch->place =
      op.attribute(kRunsOnAttr).As<Place>().value_or(program_->place);
  const std::optional<Place> home = op.attribute(kFallbackAttr).As<Place>();
  launch->fallback = home.has_value();
  launch->home = home.value_or(launch->place);
  launch->transform = static_cast<bool>(op.attribute(kTransformAttr));
  launch->of_result = static_cast<bool>(op.attribute(kOfResultAttr));
  return absl::OkStatus();
}

// Sets which input slot's memory each output slot takes; in the IR results and
// operands say so.
void BlockPlanner::SetSources(const ir::Operation& op, const OpCall& call,
                              Instruction* launch) const {
  launch->sources.resize(call.outputs.size());
  for (size_t slot = 0; slot < call.outputs.size(); ++slot) {
    if (!call.outputs[slot]) continue;
    const MemorySource source = SourceOf(op, call.outputs[slot].index());
    int operand = source.operand;
    if (operand < 0) continue;
    // The input slot of that operand: absent slots are no operands.
    for (size_t input = 0; input < call.inputs.size(); ++input) {
      if (!call.inputs[input] || operand-- > 0) continue;
      launch->sources[slot] = {static_cast<int>(input), source.view};
      break;
    }
  }
}

// A constant is reordered once, here: the program keeps it as its kernel takes
// it.
absl::Status BlockPlanner::AddReordered(const ir::Operation& op,
                                        const Instruction& launch) {
  const DenseTensor& constant =
      program_->constants[block_->values[launch.inputs[0]].index];
  TensorMeta meta = constant.meta();
  meta.layout = op.result(0).tensor_type().layout();
  SY_ASSIGN_OR_RETURN(DenseTensor reordered, AllocateLike(meta));
  const TensorBase* const inputs[] = {&constant};
  TensorBase* const outputs[] = {&reordered};
  phi::KernelContext context(
      launch.kernel->key.backend->contexts->current(launch.place),
      {inputs, launch.attrs, outputs}, launch.kernel);
  SY_RETURN_IF_ERROR(Annotate(launch.kernel->thunk(context), launch.op->name));
  const int index = static_cast<int>(program_->constants.size());
  program_->constants.push_back(std::move(reordered));
  return AddInput(op.result(0), PlanValue::Source::kConstant, index).status();
}

absl::Status BlockPlanner::AddLaunch(const ir::Operation& op) {
  if (!op.has<KernelCallTrait>()) {
    return absl::InvalidArgumentError(
        absl::StrCat(std::string(op.name()), ": the operation is not lowered"));
  }
  SY_ASSIGN_OR_RETURN(const OpCall call, ReadCall(op));
  Instruction launch;
  launch.location = op.location().spec();
  launch.op = call.op->info;
  SY_RETURN_IF_ERROR(SetKernels(op, &launch));
  launch.result_place = phi::selection::ResultPlace(call.attrs, launch.place);
  SetSources(op, call, &launch);
  launch.inputs = phi::ArgBuffer<ValueId>(call.inputs.layout());
  for (size_t slot = 0; slot < call.inputs.size(); ++slot) {
    launch.inputs[slot] = GetId(call.inputs[slot]);
  }
  const bool reorders = launch.transform && launch.candidates().empty() &&
                        !op.result(0).tensor_type().layout().strided();
  if (reorders && !IsWritten(op.result(0)) &&
      block_->values[launch.inputs[0]].source == PlanValue::Source::kConstant) {
    SetAttributes(call, &launch);
    return AddReordered(op, launch);
  }
  launch.outputs = phi::ArgBuffer<ValueId>(call.outputs.layout());
  for (size_t slot = 0; slot < call.outputs.size(); ++slot) {
    const ir::Value output = call.outputs[slot];
    if (output) SY_RETURN_IF_ERROR(AddComputed(output, launch.result_place));
    launch.outputs[slot] = GetId(output);
  }
  for (size_t slot = 0; slot < launch.outputs.size(); ++slot) {
    if (!launch.sources[slot].writes()) continue;
    targets_[launch.outputs[slot]] =
        GetTarget(launch.inputs[launch.sources[slot].input]);
  }
  SetAttributes(call, &launch);
  block_->instructions.push_back(std::move(launch));
  return absl::OkStatus();
}

void BlockPlanner::SetAttributes(OpCall call, Instruction* launch) const {
  for (const SuppliedAttr& supplied : call.supplied) {
    SuppliedValues values;
    values.attr = supplied.attr;
    for (ir::Value value : supplied.values) {
      values.values.push_back(GetId(value));
    }
    launch->MutableRare().supplied.push_back(std::move(values));
  }
  if (!call.elements.empty()) {
    launch->MutableRare().elements = std::move(call.elements);
  }
  launch->attributes.reserve(call.attrs.size());
  launch->attrs.reserve(call.attrs.size());
  for (AttrRef attr : call.attrs) {
    launch->attributes.emplace_back(attr.supplied() ? AttrRef() : attr);
  }
  // References only once the owners stay where they are.
  for (const Attribute& attribute : launch->attributes) {
    launch->attrs.push_back(attribute.ref());
  }
  for (size_t i = 0; i < launch->supplied().size(); ++i) {
    const int attr = launch->supplied()[i].attr;
    launch->attrs[attr] = AttrRef::Supplied(launch->op->attrs[attr].type,
                                            launch->rare->elements[i]);
  }
}

void BlockPlanner::Finish() {
  NoteCalls(*program_, block_);
  const int end = static_cast<int>(block_->instructions.size());
  block_->last_use.assign(block_->values.size(), -1);
  block_->decides_shapes.assign(block_->values.size(), false);
  block_->reordered.assign(block_->values.size(), false);
  const auto use = [&](ValueId value, int instruction) {
    if (value != kNoValue) block_->last_use[value] = instruction;
  };
  for (int i = 0; i < end; ++i) {
    const Instruction& instruction = block_->instructions[i];
    for (ValueId input : instruction.inputs) use(input, i);
    if (instruction.of_result) block_->reordered[instruction.inputs[0]] = true;
    for (const SuppliedValues& supplied : instruction.supplied()) {
      for (ValueId value : supplied.values) use(value, i);
    }
    for (const auto& block : instruction.blocks()) {
      for (ValueId value : block->captures) use(value, i);
    }
  }
  for (ValueId result : block_->results) use(result, end);
  for (int i = end - 1; i >= 0; --i) {
    const Instruction& instruction = block_->instructions[i];
    if (instruction.kind == Instruction::Kind::kLaunch) {
      MarkSources(instruction, &block_->decides_shapes);
    } else {
      MarkCaptured(instruction, &block_->decides_shapes);
    }
  }
}

absl::StatusOr<std::unique_ptr<const Plan>> BlockPlanner::PlanBlock(
    const ir::Operation& op, int region) {
  auto plan = std::make_unique<Plan>();
  BlockPlanner inner(program_, table_, plan.get());
  const ir::Block& block = op.block(region);
  std::vector<ir::Value> inputs = block.arguments();
  const size_t own = inputs.size();
  const std::vector<ir::Value> captured = ir::CapturedValues(op, {&block});
  inputs.insert(inputs.end(), captured.begin(), captured.end());
  for (size_t i = 0; i < inputs.size(); ++i) {
    SY_RETURN_IF_ERROR(inner
                           .AddInput(inputs[i], PlanValue::Source::kArgument,
                                     static_cast<int>(i))
                           .status());
    if (i >= own) plan->captures.push_back(GetId(inputs[i]));
  }
  SY_RETURN_IF_ERROR(inner.AddOperations(block));
  for (ir::Value yielded : block.terminator()->operands()) {
    plan->results.push_back(inner.GetId(yielded));
  }
  inner.Finish();
  return plan;
}

absl::Status BlockPlanner::AddControlFlow(const ir::Operation& op,
                                          Instruction::Kind kind) {
  Instruction instruction;
  instruction.kind = kind;
  instruction.location = op.location().spec();
  instruction.place = program_->place;
  instruction.result_place = program_->place;
  for (ir::Value operand : op.operands()) {
    instruction.inputs.AddOne(GetId(operand));
  }
  for (int region = 0; region < op.num_regions(); ++region) {
    SY_ASSIGN_OR_RETURN(std::unique_ptr<const Plan> plan,
                        PlanBlock(op, region));
    instruction.MutableRare().blocks.push_back(std::move(plan));
  }
  for (ir::Value result : op.results()) {
    SY_RETURN_IF_ERROR(AddComputed(result, instruction.place));
    instruction.outputs.AddOne(GetId(result));
  }
  block_->instructions.push_back(std::move(instruction));
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
