// SPDX-License-Identifier: Apache-2.0
// The part of BlockSpecializer that follows results in other layouts than
// strided. A result whose layout was chosen here stays as it is until something
// wants it strided: what lowering does where it knows the extents
// (static_graph/lowering/assign_layouts.h), here from producers on. Kernels are
// chosen as for strided tensors, so the bits are the same.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "static_graph/executor/instruction_query.h"
#include "static_graph/executor/specialize_block.h"

namespace switchyard::static_graph {

using phi::selection::Selection;
using TransformKind = phi::selection::Transform::Kind;

LayoutDescriptor BlockSpecializer::OutputLayout(const Launch& launch,
                                                size_t slot) const {
  for (const phi::selection::Transform& transform :
       launch.selection.output_transforms) {
    if (transform.slot == slot) return transform.layout;
  }
  return plan_.values[launch.instruction->outputs[slot]].meta.layout;
}

// Remembers the results of a kernel that was chosen here: the program takes
// them for strided ones.
void BlockSpecializer::ReorderOutputs(const Launch& launch) {
  for (const phi::selection::Transform& transform :
       launch.selection.output_transforms) {
    resizable_ = false;
    const ValueId value = launch.instruction->outputs[transform.slot];
    const TensorId tensor = tensor_of_[value];
    yielded_[value] = tensor;
    Yielded yielded = {GetMeta(tensor), launch.instruction, transform.slot};
    yielded.strided.layout = LayoutDescriptor();
    as_strided_[tensor] = std::make_unique<const Yielded>(std::move(yielded));
  }
}

absl::Status BlockSpecializer::Settle(ValueId value) {
  if (value == kNoValue || yielded_[value] == kNoTensor ||
      tensor_of_[value] != yielded_[value]) {
    return absl::OkStatus();
  }
  const Yielded& yielded = *as_strided_[yielded_[value]];
  phi::selection::Transform back;
  back.kind = TransformKind::kReorder;
  back.slot = yielded.slot;
  SY_RETURN_IF_ERROR(
      AddTransform(back, *yielded.call, StepRole::kOutput, &tensor_of_[value]));
  origins_[tensor_of_[value]] = kNoTensor;
  return absl::OkStatus();
}

absl::Status BlockSpecializer::SettleOperands(const Instruction& instruction) {
  for (ValueId input : instruction.inputs) SY_RETURN_IF_ERROR(Settle(input));
  for (const auto& block : instruction.blocks()) {
    for (ValueId capture : block->captures) {
      SY_RETURN_IF_ERROR(Settle(capture));
    }
  }
  return absl::OkStatus();
}

TensorId BlockSpecializer::YieldedInput(const Launch& launch,
                                        size_t slot) const {
  const ValueId input = launch.instruction->inputs[slot];
  return input == kNoValue ? kNoTensor : yielded_[input];
}

// The layouts in which the launch's kernel takes its inputs if those that it
// fits come in `layout`; nothing if selection chooses another kernel then. What
// that choice says of the outputs is put into the launch.
std::optional<std::vector<LayoutDescriptor>> BlockSpecializer::SelectInLayout(
    LayoutDescriptor layout, Launch* launch) const {
  std::vector<TensorMeta> metas(launch->inputs.size());
  std::vector<const TensorMeta*> inputs(metas.size(), nullptr);
  for (size_t slot = 0; slot < metas.size(); ++slot) {
    const TensorId tensor = launch->inputs[slot];
    if (tensor == kNoTensor) continue;
    metas[slot] = *GetMetas({tensor})[0];
    inputs[slot] = &metas[slot];
    if (metas[slot].kind != TensorKind::kDense ||
        !metas[slot].layout.strided()) {
      return std::nullopt;
    }
    if (!Describes(layout, metas[slot].shape)) continue;
    metas[slot].layout = layout;
    metas[slot].contiguous = true;
  }
  const InstructionQuery query(*launch->instruction, launch->instruction->place,
                               std::move(inputs), launch->attrs,
                               launch->outputs);
  const auto selection =
      phi::selection::Select(*launch->instruction->op_kernels, query.get(),
                             launch->instruction->GetPolicy(program_.policy));
  if (!selection.ok() || selection->kernel != launch->selection.kernel ||
      !selection->residual.empty()) {
    return std::nullopt;
  }
  std::vector<LayoutDescriptor> taken;
  for (const TensorMeta& meta : metas) taken.push_back(meta.layout);
  for (const phi::selection::Transform& transform : selection->transforms) {
    if (transform.kind != TransformKind::kReorder) return std::nullopt;
    taken[transform.slot] = transform.layout;
  }
  launch->selection.transforms.clear();
  launch->selection.output_transforms = selection->output_transforms;
  return taken;
}

// Whether some input is read as a kernel yielded it, and no output is written
// into an input of another layout.
bool BlockSpecializer::MayTake(const Launch& launch,
                               absl::Span<const LayoutDescriptor> taken) const {
  bool as_it_is = false;
  for (size_t slot = 0; slot < taken.size(); ++slot) {
    const TensorId yielded = YieldedInput(launch, slot);
    as_it_is |= yielded != kNoTensor && taken[slot] == GetMeta(yielded).layout;
  }
  for (size_t slot = 0; slot < launch.outputs.size(); ++slot) {
    const Instruction::OutputSource source = launch.instruction->sources[slot];
    if (source.writes() && taken[source.input] != OutputLayout(launch, slot)) {
      return false;
    }
  }
  return as_it_is;
}

// Asks selection with the inputs in the layout of one of them. Adds what
// transforms its kernel then wants.
absl::StatusOr<bool> BlockSpecializer::TakeInLayout(Launch* launch) {
  const Instruction& instruction = *launch->instruction;
  LayoutDescriptor layout;
  for (size_t slot = 0; slot < launch->inputs.size(); ++slot) {
    const TensorId yielded = YieldedInput(*launch, slot);
    if (yielded == kNoTensor || !layout.strided()) continue;
    layout = GetMeta(yielded).layout;
  }
  const bool views =
      std::any_of(instruction.sources.begin(), instruction.sources.end(),
                  [](const Instruction::OutputSource& s) { return s.view; });
  if (layout.strided() || launch->selection.fallback || views) return false;
  const auto taken = SelectInLayout(layout, launch);
  if (!taken.has_value() || !MayTake(*launch, *taken)) return false;
  for (size_t slot = 0; slot < taken->size(); ++slot) {
    TensorId& input = launch->inputs[slot];
    if (input == kNoTensor) continue;
    const TensorId yielded = YieldedInput(*launch, slot);
    if (yielded != kNoTensor && GetMeta(yielded).layout == (*taken)[slot]) {
      input = yielded;
      continue;
    }
    if ((*taken)[slot].strided()) {
      SY_RETURN_IF_ERROR(Settle(instruction.inputs[slot]));
      input = tensor_of_[instruction.inputs[slot]];
      continue;
    }
    phi::selection::Transform reorder;
    reorder.kind = TransformKind::kReorder;
    reorder.slot = static_cast<uint16_t>(slot);
    reorder.layout = (*taken)[slot];
    SY_RETURN_IF_ERROR(
        AddTransform(reorder, instruction, StepRole::kInput, &input));
  }
  return true;
}

absl::Status BlockSpecializer::SettleInputs(Launch* launch) {
  const Instruction& instruction = *launch->instruction;
  const bool any =
      std::any_of(instruction.inputs.begin(), instruction.inputs.end(),
                  [this](ValueId input) {
                    return input != kNoValue && yielded_[input] != kNoTensor;
                  });
  if (!any) return absl::OkStatus();
  const Selection strided = launch->selection;
  SY_ASSIGN_OR_RETURN(const bool taken, TakeInLayout(launch));
  if (taken) return absl::OkStatus();
  launch->selection = strided;
  for (size_t slot = 0; slot < launch->inputs.size(); ++slot) {
    const ValueId input = instruction.inputs[slot];
    if (input == kNoValue) continue;
    SY_RETURN_IF_ERROR(Settle(input));
    launch->inputs[slot] = tensor_of_[input];
  }
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
