// SPDX-License-Identifier: Apache-2.0
// The part of BlockSpecializer that finds the kernel of a launch, what it needs
// and what it yields.
#include <algorithm>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "framework/types/spec_text.h"
#include "phi/core/infer_meta_context.h"
#include "phi/core/view_meta.h"
#include "static_graph/executor/instruction_query.h"
#include "static_graph/executor/plan_transforms.h"
#include "static_graph/executor/specialize_block.h"

namespace switchyard::static_graph {
namespace {

using phi::selection::Query;
using TransformKind = phi::selection::Transform::Kind;

// A guest need not describe every output.
bool IsSelfAllocated(const phi::KernelDef& kernel, int output) {
  return static_cast<size_t>(output) < kernel.outputs.size() &&
         kernel.outputs[output].self_allocated;
}

}  // namespace

std::vector<const TensorMeta*> BlockSpecializer::GetMetas(
    absl::Span<const TensorId> inputs) const {
  std::vector<const TensorMeta*> metas;
  for (TensorId input : inputs) {
    if (input == kNoTensor) {
      metas.push_back(nullptr);
    } else {
      const Yielded* const yielded = as_strided_[input].get();
      metas.push_back(yielded != nullptr ? &yielded->strided : &GetMeta(input));
    }
  }
  return metas;
}

absl::Status BlockSpecializer::InferOutputs(Launch* launch) {
  const Instruction& instruction = *launch->instruction;
  absl::InlinedVector<TensorSpec, 8> metas(launch->inputs.size());
  absl::InlinedVector<const TensorSpec*, 8> inputs(launch->inputs.size());
  for (size_t slot = 0; slot < launch->inputs.size(); ++slot) {
    const TensorId input = launch->inputs[slot];
    if (input == kNoTensor) continue;
    metas[slot] = plan_.values[instruction.inputs[slot]].meta;
    metas[slot].shape = GetMeta(input).shape;
    inputs[slot] = &metas[slot];
  }
  launch->outputs.resize(instruction.outputs.size());
  absl::InlinedVector<TensorSpec*, 4> outputs(launch->outputs.size());
  for (size_t slot = 0; slot < outputs.size(); ++slot) {
    outputs[slot] = instruction.outputs[slot] == kNoValue
                        ? nullptr
                        : &launch->outputs[slot];
  }
  ++counts_->infer_metas;
  SY_RETURN_IF_ERROR(
      instruction.op->InferMeta({{inputs, instruction.inputs.segments()},
                                 launch->attrs,
                                 {outputs, instruction.outputs.segments()}}));
  for (size_t slot = 0; slot < outputs.size(); ++slot) {
    if (outputs[slot] == nullptr) continue;
    const int output =
        instruction.outputs.segments().argument_of(static_cast<int>(slot));
    const char* name = instruction.op->outputs[output].name;
    // Memory follows from what is inferred here, later launches from what the
    // program says.
    const TensorSpec& declared = plan_.values[instruction.outputs[slot]].meta;
    if (outputs[slot]->dtype != declared.dtype ||
        outputs[slot]->kind != declared.kind ||
        !MayEqual(outputs[slot]->shape, declared.shape)) {
      return ArgumentError(name, SpecText(declared) + " as the program says",
                           SpecText(*outputs[slot]));
    }
  }
  return absl::OkStatus();
}

absl::Status BlockSpecializer::ChooseKernel(Launch* launch) {
  const Instruction& instruction = *launch->instruction;
  launch->selection.kernel = instruction.kernel;
  if (instruction.candidates().empty()) return absl::OkStatus();
  launch->selection.residual.assign(instruction.candidates().begin(),
                                    instruction.candidates().end());
  const InstructionQuery query(instruction, instruction.place,
                               GetMetas(launch->inputs), launch->attrs,
                               launch->outputs);
  ++counts_->resolutions;
  SY_ASSIGN_OR_RETURN(
      launch->selection,
      phi::selection::Resolve(launch->selection, query.get(),
                              instruction.GetPolicy(program_.policy)));
  launch->falls_back = launch->selection.fallback;
  if (launch->falls_back && HasNothingToCompute(*launch)) {
    launch->falls_back = false;
    launch->selection.transforms.clear();
  }
  return absl::OkStatus();
}

// A transform that lowering put in to be sure may have nothing to do.
bool BlockSpecializer::Elide(const Launch& launch) {
  const Instruction& instruction = *launch.instruction;
  if (!instruction.transform ||
      TransformKindOf(program_, instruction) != TransformKind::kContiguous ||
      !GetMeta(launch.inputs[0]).contiguous) {
    return false;
  }
  tensor_of_[instruction.outputs[0]] = launch.inputs[0];
  elided_[instruction.outputs[0]] = true;
  return true;
}

absl::Status BlockSpecializer::AddTransform(
    const phi::selection::Transform& transform, const Instruction& call,
    StepRole role, TensorId* input) {
  resizable_ = false;
  TensorMeta meta = GetMeta(*input);
  const bool dense = meta.kind == TensorKind::kDense;
  const bool copied_rows = meta.kind == TensorKind::kSelectedRows &&
                           transform.kind == TransformKind::kCopy;
  if (!dense && !copied_rows) {
    return TypeError(
        absl::StrCat(phi::selection::OperatorName(transform.kind), ": x"),
        "dense", Name(meta.kind));
  }
  const TransformOperator& transformer =
      program_.transforms[static_cast<int>(transform.kind)];
  if (transformer.op_kernels == nullptr) {
    return absl::UnimplementedError(
        "the binary has no kernel for a transform of an input");
  }
  Step step;
  if (const auto attribute = TransformAttribute(transform)) {
    made_->owned_attrs.push_back(std::make_unique<const AttrRef>(*attribute));
    step.attrs = absl::MakeConstSpan(made_->owned_attrs.back().get(), 1);
  }
  const TensorMeta* const metas[] = {&meta};
  Query query;
  query.op = transformer.op;
  query.inputs = absl::MakeConstSpan(metas);
  query.attrs = step.attrs;
  query.dtype = meta.dtype;
  SY_ASSIGN_OR_RETURN(query.place,
                      phi::selection::CallPlace(*query.op, query.inputs,
                                                query.attrs, meta.place));
  SY_ASSIGN_OR_RETURN(
      const phi::selection::Selection selection,
      phi::selection::Select(*transformer.op_kernels, query,
                             program_.policy.WithoutTransforms()));
  TensorSlot slot;
  slot.meta = meta;
  slot.meta.strides = ContiguousStrides(meta.shape);
  slot.meta.contiguous = true;
  slot.meta.offset = 0;
  slot.meta.place = phi::selection::ResultPlace(query.attrs, query.place);
  slot.meta.layout = transform.kind == TransformKind::kReorder
                         ? transform.layout
                         : LayoutDescriptor();
  if (transform.kind == TransformKind::kCast) slot.meta.dtype = transform.dtype;
  if (dense) {
    SY_ASSIGN_OR_RETURN(
        slot.bytes,
        CheckedByteSize(slot.meta.dtype, slot.meta.shape, slot.meta.layout));
  } else {
    slot.storage = TensorSlot::Storage::kOwn;  // By its kernel.
  }
  const TensorId output = AddTensor(std::move(slot));
  origins_[output] = *input;
  step.call = &call;
  step.role = role;
  step.slot = transform.slot;
  step.kernel = selection.kernel;
  step.place = query.place;
  step.input_segments = phi::ArgSegments(1);
  step.output_segments = phi::ArgSegments(1);
  step.inputs = {*input};
  step.outputs = {output};
  made_->steps.push_back(std::move(step));
  *input = output;
  return absl::OkStatus();
}

// Strides and offset of a view follow from its inputs' geometry: the kernel
// says which, moving no element (OutputInfo::view_of).
absl::StatusOr<TensorMeta> BlockSpecializer::ViewMeta(const Launch& launch,
                                                      size_t slot) {
  const Instruction& instruction = *launch.instruction;
  std::vector<const TensorMeta*> inputs;
  for (TensorId input : launch.inputs) {
    inputs.push_back(input == kNoTensor ? nullptr : &GetMeta(input));
  }
  std::vector<const TensorSpec*> outputs;
  for (size_t i = 0; i < launch.outputs.size(); ++i) {
    outputs.push_back(instruction.outputs[i] == kNoValue ? nullptr
                                                         : &launch.outputs[i]);
  }
  phi::ViewCall call;
  call.kernel = launch.selection.kernel;
  call.place = launch.falls_back ? Place::Cpu() : instruction.place;
  call.inputs = {inputs, instruction.inputs.segments()};
  call.attrs = launch.attrs;
  call.outputs = {outputs, instruction.outputs.segments()};
  SY_ASSIGN_OR_RETURN(const std::vector<TensorMeta> views,
                      phi::ViewMetas(call));
  return views[slot];
}

absl::StatusOr<TensorSlot> BlockSpecializer::MakeOutput(const Launch& launch,
                                                        size_t slot) {
  const Instruction& instruction = *launch.instruction;
  const int output =
      instruction.outputs.segments().argument_of(static_cast<int>(slot));
  const TensorSpec& spec = launch.outputs[slot];
  TensorSlot tensor;
  if (spec.kind == TensorKind::kDense && !spec.shape.known()) {
    if (!IsSelfAllocated(*launch.selection.kernel, output)) {
      return absl::InternalError(absl::StrCat(
          instruction.op->outputs[output].name,
          " must have a known shape or be allocated by its kernel, got ",
          ToString(spec.shape)));
    }
    tensor.storage = TensorSlot::Storage::kOwn;
    has_late_ = true;
    return tensor;
  }
  tensor.meta.dtype = spec.dtype;
  tensor.meta.shape = spec.shape;
  tensor.meta.kind = spec.kind;
  tensor.meta.place =
      launch.falls_back ? Place::Cpu() : instruction.result_place;
  if (spec.kind != TensorKind::kDense) {
    tensor.storage = TensorSlot::Storage::kOwn;
    return tensor;
  }
  tensor.meta.layout = OutputLayout(launch, slot);
  SY_ASSIGN_OR_RETURN(tensor.bytes,
                      CheckedByteSize(tensor.meta.dtype, tensor.meta.shape,
                                      tensor.meta.layout));
  tensor.meta.strides = ContiguousStrides(tensor.meta.shape);
  const Instruction::OutputSource source = instruction.sources[slot];
  if (source.view) {
    tensor.storage = TensorSlot::Storage::kView;
    tensor.root = made_->tensors[launch.inputs[source.input]].root;
    SY_ASSIGN_OR_RETURN(tensor.meta, ViewMeta(launch, slot));
  } else if (source.writes() && !elided_[instruction.inputs[source.input]]) {
    const TensorSlot& target = made_->tensors[launch.inputs[source.input]];
    if (target.meta.shape != tensor.meta.shape ||
        target.meta.dtype != tensor.meta.dtype ||
        target.meta.layout != tensor.meta.layout || !target.meta.contiguous) {
      return ArgumentError(instruction.op->outputs[output].name,
                           "of the shape of what it is written over",
                           ToString(tensor.meta.shape));
    }
    tensor.root = target.root;
    tensor.meta = target.meta;
  }
  return tensor;
}

absl::Status BlockSpecializer::AddOutputs(const Launch& launch, Step* step) {
  const Instruction& instruction = *launch.instruction;
  for (size_t slot = 0; slot < instruction.outputs.size(); ++slot) {
    if (instruction.outputs[slot] == kNoValue) {
      step->outputs.push_back(kNoTensor);
      continue;
    }
    // Whether it is known depends on its size.
    resizable_ &= !plan_.decides_shapes[instruction.outputs[slot]];
    SY_ASSIGN_OR_RETURN(TensorSlot tensor, MakeOutput(launch, slot));
    const TensorId id = AddTensor(std::move(tensor));
    tensor_of_[instruction.outputs[slot]] = id;
    step->outputs.push_back(id);
  }
  return absl::OkStatus();
}

// As dispatch: where no output has elements there is nothing to run for.
bool BlockSpecializer::HasNothingToCompute(const Launch& launch) const {
  const Instruction& instruction = *launch.instruction;
  for (size_t slot = 0; slot < instruction.outputs.size(); ++slot) {
    if (instruction.outputs[slot] == kNoValue) continue;
    const int output =
        instruction.outputs.segments().argument_of(static_cast<int>(slot));
    if (!launch.outputs[slot].shape.known() ||
        launch.outputs[slot].shape.numel() != 0 ||
        launch.outputs[slot].kind != TensorKind::kDense ||
        instruction.sources[slot].view ||
        IsSelfAllocated(*launch.selection.kernel, output)) {
      return false;
    }
  }
  return true;
}

absl::Status BlockSpecializer::AddLaunch(const Instruction& instruction) {
  if (instruction.transform) SY_RETURN_IF_ERROR(SettleOperands(instruction));
  Launch launch;
  launch.instruction = &instruction;
  for (ValueId input : instruction.inputs) {
    launch.inputs.push_back(GetTensor(input));
  }
  SY_RETURN_IF_ERROR(SettleAttributes(&launch));
  SY_RETURN_IF_ERROR(InferOutputs(&launch));
  if (Elide(launch)) return absl::OkStatus();
  SY_RETURN_IF_ERROR(ChooseKernel(&launch));
  if (list_ != nullptr && instruction.call < 0) Record(launch);
  SY_RETURN_IF_ERROR(SettleInputs(&launch));
  const size_t first = made_->steps.size();
  for (const phi::selection::Transform& transform :
       launch.selection.transforms) {
    SY_RETURN_IF_ERROR(AddTransform(transform, instruction, StepRole::kInput,
                                    &launch.inputs[transform.slot]));
  }
  Step step;
  SY_RETURN_IF_ERROR(AddOutputs(launch, &step));
  if (instruction.role == StepRole::kInput ||
      instruction.role == StepRole::kMemory) {
    origins_[step.outputs[0]] = launch.inputs[0];
  }
  step.kernel = launch.selection.kernel;
  if (CanEvaluate(launch)) SY_RETURN_IF_ERROR(Evaluate(launch, step));
  step.instruction = &instruction;
  step.call = instruction.call < 0 ? &instruction
                                   : &plan_.instructions[instruction.call];
  step.role = instruction.role;
  step.slot = instruction.slot;
  step.fallback = IsFallback(instruction);
  step.place = launch.falls_back ? Place::Cpu() : instruction.place;
  step.attrs = launch.attrs;
  step.input_segments = instruction.inputs.segments();
  step.output_segments = instruction.outputs.segments();
  step.inputs = std::move(launch.inputs);
  if (HasNothingToCompute(launch)) {
    resizable_ = false;
    if (list_ != nullptr) idle_.push_back(std::move(step));
    return absl::OkStatus();
  }
  made_->steps.push_back(std::move(step));
  ReorderOutputs(launch);
  if (!launch.falls_back) return absl::OkStatus();
  resizable_ = false;
  SY_RETURN_IF_ERROR(ReturnFromHost(launch));
  MarkFallback(first);
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
