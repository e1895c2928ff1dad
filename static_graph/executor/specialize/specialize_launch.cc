// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/specialize/specialize_launch.h"

#include <algorithm>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "framework/types/spec_text.h"
#include "phi/core/infer_meta_context.h"
#include "phi/core/view_meta.h"
#include "static_graph/executor/instruction_query.h"
#include "static_graph/executor/plan_transforms.h"
#include "static_graph/executor/specialize/specialize_elements.h"
#include "static_graph/executor/specialize/specialize_fallbacks.h"
#include "static_graph/executor/specialize/specialize_layouts.h"
#include "static_graph/executor/specialize/specialize_list.h"
#include "static_graph/executor/specialize/specialize_transform.h"

namespace switchyard::static_graph {
namespace {

using phi::selection::Query;
using TransformKind = phi::selection::Transform::Kind;

// A guest need not describe every output.
bool IsSelfAllocated(const phi::KernelDef& kernel, int output) {
  return static_cast<size_t>(output) < kernel.outputs.size() &&
         kernel.outputs[output].self_allocated;
}

absl::Status InferOutputs(DraftLaunch* launch, BlockDraft* draft) {
  const Instruction& instruction = *launch->instruction;
  absl::InlinedVector<TensorSpec, 8> metas(launch->inputs.size());
  absl::InlinedVector<const TensorSpec*, 8> inputs(launch->inputs.size());
  for (size_t slot = 0; slot < launch->inputs.size(); ++slot) {
    const TensorId input = launch->inputs[slot];
    if (input == kNoTensor) continue;
    metas[slot] = draft->plan.values[instruction.inputs[slot]].meta;
    metas[slot].shape = draft->GetMeta(input).shape;
    inputs[slot] = &metas[slot];
  }
  launch->outputs.resize(instruction.outputs.size());
  absl::InlinedVector<TensorSpec*, 4> outputs(launch->outputs.size());
  for (size_t slot = 0; slot < outputs.size(); ++slot) {
    outputs[slot] = instruction.outputs[slot] == kNoValue
                        ? nullptr
                        : &launch->outputs[slot];
  }
  ++draft->counts->infer_metas;
  SY_RETURN_IF_ERROR(
      instruction.op->InferMeta({{inputs, instruction.inputs.segments()},
                                 launch->attrs,
                                 {outputs, instruction.outputs.segments()}}));
  for (size_t slot = 0; slot < outputs.size(); ++slot) {
    if (outputs[slot] == nullptr) continue;
    const int output =
        instruction.outputs.segments().argument_of(static_cast<int>(slot));
    const char* name = instruction.op->outputs[output].name;
    // Memory follows from the shapes that are inferred here, later launches
    // from those of the program.
    const TensorSpec& declared =
        draft->plan.values[instruction.outputs[slot]].meta;
    if (outputs[slot]->dtype != declared.dtype ||
        outputs[slot]->kind != declared.kind ||
        !MayEqual(outputs[slot]->shape, declared.shape)) {
      return ArgumentError(name, SpecText(declared) + " as the program says",
                           SpecText(*outputs[slot]));
    }
  }
  return absl::OkStatus();
}

// Returns true if no output has elements. Such a call does not run, as in
// dispatch.
bool HasNothingToCompute(const DraftLaunch& launch) {
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

absl::Status ChooseKernel(DraftLaunch* launch, BlockDraft* draft) {
  const Instruction& instruction = *launch->instruction;
  launch->selection.kernel = instruction.kernel;
  if (instruction.candidates().empty()) return absl::OkStatus();
  launch->selection.residual.assign(instruction.candidates().begin(),
                                    instruction.candidates().end());
  const InstructionQuery query(instruction, instruction.place,
                               draft->GetMetas(launch->inputs), launch->attrs,
                               launch->outputs);
  ++draft->counts->resolutions;
  SY_ASSIGN_OR_RETURN(
      launch->selection,
      phi::selection::Resolve(launch->selection, query.get(),
                              instruction.GetPolicy(draft->program.policy)));
  launch->falls_back = launch->selection.fallback;
  if (launch->falls_back && HasNothingToCompute(*launch)) {
    launch->falls_back = false;
    launch->selection.transforms.clear();
  }
  return absl::OkStatus();
}

// A transform that lowering put in to be sure may have nothing to do.
bool Elide(const DraftLaunch& launch, BlockDraft* draft) {
  const Instruction& instruction = *launch.instruction;
  if (!instruction.transform ||
      TransformKindOf(draft->program, instruction) !=
          TransformKind::kContiguous ||
      !draft->GetMeta(launch.inputs[0]).contiguous) {
    return false;
  }
  draft->tensor_of[instruction.outputs[0]] = launch.inputs[0];
  draft->elided[instruction.outputs[0]] = true;
  return true;
}

// Strides and offset of a view follow from its inputs' geometry: the kernel
// says which, moving no element (OutputInfo::view_of).
absl::StatusOr<TensorMeta> ViewMeta(const BlockDraft& draft,
                                    const DraftLaunch& launch, size_t slot) {
  const Instruction& instruction = *launch.instruction;
  std::vector<const TensorMeta*> inputs;
  for (TensorId input : launch.inputs) {
    inputs.push_back(input == kNoTensor ? nullptr : &draft.GetMeta(input));
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

absl::StatusOr<TensorSlot> MakeOutput(const DraftLaunch& launch, size_t slot,
                                      BlockDraft* draft) {
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
    draft->has_late = true;
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
  tensor.meta.layout = OutputLayout(*draft, launch, slot);
  SY_ASSIGN_OR_RETURN(tensor.bytes,
                      CheckedByteSize(tensor.meta.dtype, tensor.meta.shape,
                                      tensor.meta.layout));
  tensor.meta.strides = ContiguousStrides(tensor.meta.shape);
  const Instruction::OutputSource source = instruction.sources[slot];
  if (source.view) {
    tensor.storage = TensorSlot::Storage::kView;
    tensor.root = draft->made->tensors[launch.inputs[source.input]].root;
    SY_ASSIGN_OR_RETURN(tensor.meta, ViewMeta(*draft, launch, slot));
  } else if (source.writes() &&
             !draft->elided[instruction.inputs[source.input]]) {
    const TensorSlot& target =
        draft->made->tensors[launch.inputs[source.input]];
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

absl::Status AddOutputs(const DraftLaunch& launch, Step* step,
                        BlockDraft* draft) {
  const Instruction& instruction = *launch.instruction;
  for (size_t slot = 0; slot < instruction.outputs.size(); ++slot) {
    if (instruction.outputs[slot] == kNoValue) {
      step->outputs.push_back(kNoTensor);
      continue;
    }
    // Whether it is known depends on its size.
    draft->resizable &= !draft->plan.decides_shapes[instruction.outputs[slot]];
    SY_ASSIGN_OR_RETURN(TensorSlot tensor, MakeOutput(launch, slot, draft));
    const TensorId id = draft->AddTensor(std::move(tensor));
    draft->tensor_of[instruction.outputs[slot]] = id;
    step->outputs.push_back(id);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status AddLaunch(const Instruction& instruction, BlockDraft* draft) {
  if (instruction.transform) {
    SY_RETURN_IF_ERROR(SettleOperands(instruction, draft));
  }
  DraftLaunch launch;
  launch.instruction = &instruction;
  for (ValueId input : instruction.inputs) {
    launch.inputs.push_back(draft->GetTensor(input));
  }
  SY_RETURN_IF_ERROR(SettleAttributes(&launch, draft));
  SY_RETURN_IF_ERROR(InferOutputs(&launch, draft));
  if (Elide(launch, draft)) return absl::OkStatus();
  SY_RETURN_IF_ERROR(ChooseKernel(&launch, draft));
  if (draft->list != nullptr && instruction.call < 0) NoteLaunch(launch, draft);
  SY_RETURN_IF_ERROR(SettleInputs(&launch, draft));
  const size_t first = draft->made->steps.size();
  for (const phi::selection::Transform& transform :
       launch.selection.transforms) {
    SY_RETURN_IF_ERROR(AddTransform(transform, instruction, StepRole::kInput,
                                    &launch.inputs[transform.slot], draft));
  }
  Step step;
  SY_RETURN_IF_ERROR(AddOutputs(launch, &step, draft));
  if (instruction.role == StepRole::kInput ||
      instruction.role == StepRole::kMemory) {
    draft->origins[step.outputs[0]] = launch.inputs[0];
  }
  step.kernel = launch.selection.kernel;
  if (CanEvaluate(*draft, launch)) {
    SY_RETURN_IF_ERROR(Evaluate(launch, step, draft));
  }
  step.instruction = &instruction;
  step.call = instruction.call < 0
                  ? &instruction
                  : &draft->plan.instructions[instruction.call];
  step.role = instruction.role;
  step.slot = instruction.slot;
  step.fallback = IsFallback(*draft, instruction);
  step.place = launch.falls_back ? Place::Cpu() : instruction.place;
  step.attrs = launch.attrs;
  step.input_segments = instruction.inputs.segments();
  step.output_segments = instruction.outputs.segments();
  step.inputs = std::move(launch.inputs);
  if (HasNothingToCompute(launch)) {
    draft->resizable = false;
    if (draft->list != nullptr) draft->idle.push_back(std::move(step));
    return absl::OkStatus();
  }
  draft->made->steps.push_back(std::move(step));
  RememberYielded(launch, draft);
  if (!launch.falls_back) return absl::OkStatus();
  draft->resizable = false;
  SY_RETURN_IF_ERROR(ReturnFromHost(launch, draft));
  MarkFallback(first, draft);
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
