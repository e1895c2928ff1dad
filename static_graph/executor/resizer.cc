// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/resizer.h"

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "phi/core/infer_meta_context.h"
#include "phi/core/view_meta.h"
#include "phi/selection/selection.h"
#include "static_graph/executor/instruction_query.h"
#include "static_graph/executor/memory_verifier.h"
#include "static_graph/executor/plan_transforms.h"
#include "static_graph/executor/tensor_memory.h"

namespace switchyard::static_graph {
namespace {

using Storage = TensorSlot::Storage;
using TransformKind = phi::selection::Transform::Kind;

bool SameGeometry(const TensorMeta& a, const TensorMeta& b) {
  return a.shape == b.shape && a.strides == b.strides && a.offset == b.offset;
}

bool HasElements(const Shape& shape) {
  return std::none_of(shape.dims().begin(), shape.dims().end(),
                      [](Dim dim) { return dim.number() == 0; });
}

// Whether two kernels allocate the same ones of their results.
bool AllocateAlike(const phi::KernelDef& a, const phi::KernelDef& b) {
  const auto allocates = [](const phi::KernelDef& kernel, size_t output) {
    return output < kernel.outputs.size() &&
           kernel.outputs[output].self_allocated;
  };
  const size_t count = std::max(a.outputs.size(), b.outputs.size());
  for (size_t output = 0; output < count; ++output) {
    if (allocates(a, output) != allocates(b, output)) return false;
  }
  return true;
}

}  // namespace

Resizer::Resizer(const ProgramPlan& program, const Plan& plan,
                 ShapeSpecialization* made)
    : program_(program), plan_(plan), made_(made) {
  specs_.reserve(plan.values.size());
  for (size_t value = 0; value < plan.values.size(); ++value) {
    specs_.push_back(plan.values[value].meta);
    const TensorId tensor = made->tensor_of[value];
    if (tensor != kNoTensor)
      specs_.back().shape = made->tensors[tensor].meta.shape;
  }
  is_changed_.resize(plan.values.size());
  steps_.resize(plan.instructions.size());
  // No input of what packings compute ever changes.
  for (Step& step : made->steps) {
    steps_[step.instruction - plan.instructions.data()] = &step;
  }
  NoteMemory();
}

void Resizer::NoteMemory() {
  capacity_.clear();
  has_parts_ = false;
  for (const TensorSlot& slot : made_->tensors) {
    capacity_.push_back(slot.bytes);
    has_parts_ |= slot.whole != kNoTensor;
  }
}

bool Resizer::Resize(absl::Span<const SegmentInput> inputs) {
  std::fill(is_changed_.begin(), is_changed_.end(), 0);
  changed_.clear();
  relaunched_.clear();
  moved_ = false;
  for (const SegmentInput& input : inputs) {
    if (!SetInput(input)) return false;
  }
  for (int i = made_->begin; i < made_->end; ++i) {
    if (!Follow(i)) return false;
  }
  return Place();
}

void Resizer::MarkChanged(ValueId value) {
  is_changed_[value] = 1;
  changed_.push_back(made_->tensor_of[value]);
}

bool Resizer::SetInput(const SegmentInput& input) {
  const TensorId tensor = made_->tensor_of[input.value];
  if (tensor == kNoTensor || input.elements.allocated()) return false;
  TensorSlot& slot = made_->tensors[tensor];
  if (slot.storage == Storage::kConstant) return true;
  if (SameGeometry(slot.meta, input.meta)) return true;
  if (slot.storage != Storage::kBound || slot.value != input.value ||
      slot.meta.dtype != input.meta.dtype ||
      slot.meta.kind != input.meta.kind ||
      slot.meta.layout != input.meta.layout ||
      slot.meta.place != input.meta.place) {
    return false;
  }
  if (input.meta.kind == TensorKind::kDense &&
      (!HasElements(input.meta.shape) ||
       !CheckedByteSize(input.meta.dtype, input.meta.shape).ok())) {
    return false;
  }
  slot.meta = input.meta;
  specs_[input.value].shape = input.meta.shape;
  MarkChanged(input.value);
  return true;
}

bool Resizer::ReadsChanged(const Instruction& instruction) const {
  for (const ValueId input : instruction.inputs) {
    if (input != kNoValue && is_changed_[input] != 0) return true;
  }
  return false;
}

bool Resizer::Follow(int number) {
  const Instruction& instruction = plan_.instructions[number];
  if (!ReadsChanged(instruction)) return true;
  if (!Infer(instruction)) return false;
  if (instruction.transform) {
    if (made_->elided[instruction.outputs[0]]) return Elide(instruction);
    // It may have nothing to do now.
    if (TransformKindOf(program_, instruction) == TransformKind::kContiguous &&
        made_->tensors[made_->tensor_of[instruction.inputs[0]]]
            .meta.contiguous) {
      return false;
    }
  }
  if (!instruction.candidates().empty() && !ChooseKernel(number)) return false;
  for (size_t slot = 0; slot < instruction.outputs.size(); ++slot) {
    if (instruction.outputs[slot] != kNoValue && !SetOutput(number, slot)) {
      return false;
    }
  }
  return true;
}

// Infers into outputs_, and checks it as the specializer does.
bool Resizer::Infer(const Instruction& instruction) {
  absl::InlinedVector<const TensorSpec*, 8> inputs;
  for (const ValueId input : instruction.inputs) {
    inputs.push_back(input == kNoValue ? nullptr : &specs_[input]);
  }
  outputs_.resize(std::max(outputs_.size(), instruction.outputs.size()));
  absl::InlinedVector<TensorSpec*, 4> outputs;
  for (size_t slot = 0; slot < instruction.outputs.size(); ++slot) {
    outputs_[slot] = TensorSpec();
    const bool wanted = instruction.outputs[slot] != kNoValue;
    outputs.push_back(wanted ? &outputs_[slot] : nullptr);
  }
  const absl::Status status =
      instruction.op->InferMeta({{inputs, instruction.inputs.segments()},
                                 instruction.attrs,
                                 {outputs, instruction.outputs.segments()}});
  if (!status.ok()) return false;
  for (size_t slot = 0; slot < outputs.size(); ++slot) {
    if (outputs[slot] == nullptr) continue;
    const TensorSpec& declared = plan_.values[instruction.outputs[slot]].meta;
    const TensorSpec& inferred = *outputs[slot];
    if (inferred.dtype != declared.dtype || inferred.kind != declared.kind ||
        !MayEqual(inferred.shape, declared.shape)) {
      return false;
    }
  }
  return true;
}

std::vector<const TensorMeta*> Resizer::GetMetas(
    const Instruction& instruction) const {
  std::vector<const TensorMeta*> metas;
  for (const ValueId input : instruction.inputs) {
    metas.push_back(input == kNoValue
                        ? nullptr
                        : &made_->tensors[made_->tensor_of[input]].meta);
  }
  return metas;
}

// Decides again among the candidates that lowering left. Returns false if what
// wins takes more than another launch.
bool Resizer::ChooseKernel(int number) {
  const Instruction& instruction = plan_.instructions[number];
  phi::selection::Selection earlier;
  earlier.kernel = instruction.kernel;
  earlier.residual.assign(instruction.candidates().begin(),
                          instruction.candidates().end());
  const InstructionQuery query(
      instruction, instruction.place, GetMetas(instruction), instruction.attrs,
      absl::MakeConstSpan(outputs_).first(instruction.outputs.size()));
  const auto selection = phi::selection::Resolve(
      earlier, query.get(), instruction.GetPolicy(program_.policy));
  Step* const step = steps_[number];
  if (!selection.ok() || step == nullptr || selection->kernel == nullptr ||
      !selection->transforms.empty() || !selection->output_transforms.empty() ||
      selection->fallback) {
    return false;
  }
  if (selection->kernel == step->kernel) return true;
  if (!AllocateAlike(*selection->kernel, *step->kernel)) return false;
  step->kernel = selection->kernel;
  relaunched_.push_back(static_cast<int>(step - made_->steps.data()));
  return true;
}

// Whether a transform that had nothing to do has nothing to do.
bool Resizer::Elide(const Instruction& instruction) {
  const ValueId output = instruction.outputs[0];
  const TensorId tensor = made_->tensor_of[output];
  if (!made_->tensors[tensor].meta.contiguous) return false;
  specs_[output].shape = made_->tensors[tensor].meta.shape;
  is_changed_[output] = 1;
  return true;
}

bool Resizer::SetView(int number, size_t slot, TensorMeta* meta) const {
  const Instruction& instruction = plan_.instructions[number];
  const std::vector<const TensorMeta*> inputs = GetMetas(instruction);
  std::vector<const TensorSpec*> outputs;
  for (size_t i = 0; i < instruction.outputs.size(); ++i) {
    outputs.push_back(instruction.outputs[i] == kNoValue ? nullptr
                                                         : &outputs_[i]);
  }
  phi::ViewCall call;
  call.kernel = steps_[number] == nullptr ? nullptr : steps_[number]->kernel;
  call.place = instruction.place;
  call.inputs = {inputs, instruction.inputs.segments()};
  call.attrs = instruction.attrs;
  call.outputs = {outputs, instruction.outputs.segments()};
  if (call.kernel == nullptr) return false;
  auto views = phi::ViewMetas(call);
  if (!views.ok()) return false;
  *meta = std::move((*views)[slot]);
  return true;
}

// Gives an output the metadata of the tensor that it is written over. Returns
// false if it does not fit that any more.
bool Resizer::SetWritten(const Instruction& instruction, size_t slot,
                         TensorMeta* meta) const {
  const ValueId over = instruction.inputs[instruction.sources[slot].input];
  const TensorMeta& target = made_->tensors[made_->tensor_of[over]].meta;
  if (target.shape != meta->shape || target.dtype != meta->dtype ||
      target.layout != meta->layout || !target.contiguous) {
    return false;
  }
  *meta = target;
  return true;
}

bool Resizer::SetOutput(int number, size_t slot) {
  const Instruction& instruction = plan_.instructions[number];
  const ValueId value = instruction.outputs[slot];
  TensorSlot& tensor = made_->tensors[made_->tensor_of[value]];
  const TensorSpec& inferred = outputs_[slot];
  const bool own = tensor.storage == Storage::kOwn;
  if (inferred.kind != TensorKind::kDense) {
    if (!own) return false;
    if (inferred.shape == tensor.meta.shape) return true;
    tensor.meta.shape = inferred.shape;
    specs_[value].shape = inferred.shape;
    MarkChanged(value);
    return true;
  }
  // A kernel that finds out a shape did so before.
  if (own || !inferred.shape.known()) {
    return own && !inferred.shape.known();
  }
  if (!HasElements(inferred.shape)) return false;
  const Instruction::OutputSource source = instruction.sources[slot];
  if (!source.view && inferred.shape == tensor.meta.shape &&
      (!source.writes() || tensor.root == made_->tensor_of[value])) {
    return true;
  }
  const auto bytes =
      CheckedByteSize(inferred.dtype, inferred.shape, tensor.meta.layout);
  if (!bytes.ok()) return false;
  tensor.bytes = *bytes;
  tensor.meta.shape = inferred.shape;
  LayOutContiguous(inferred.shape, &tensor.meta.strides);
  if (source.view) {
    if (!SetView(number, slot, &tensor.meta)) return false;
  } else if (source.writes() &&
             !made_->elided[instruction.inputs[source.input]]) {
    if (!SetWritten(instruction, slot, &tensor.meta)) return false;
  }
  specs_[value].shape = tensor.meta.shape;
  MarkChanged(value);
  return true;
}

// Gives the changed tensors memory: the memory that they have, as long as each
// fits there.
bool Resizer::Place() {
  for (const TensorId id : changed_) {
    const TensorSlot& tensor = made_->tensors[id];
    // The extents decide where parts of concatenations lie.
    moved_ |= has_parts_ ||
              (tensor.root == id && tensor.storage == Storage::kPlanned &&
               tensor.bytes > capacity_[id]);
  }
  if (moved_) {
    if (!PlanTensorMemory(made_).ok() || !VerifyMemory(*made_).ok()) {
      return false;
    }
    NoteMemory();
    return true;
  }
  for (const TensorId id : changed_) {
    TensorSlot& tensor = made_->tensors[id];
    if (tensor.storage == Storage::kView) continue;
    tensor.bytes = made_->tensors[tensor.root].bytes;
  }
  return true;
}

}  // namespace switchyard::static_graph
