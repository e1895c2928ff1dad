// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/specialize/specialize_layouts.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "static_graph/executor/instruction_query.h"
#include "static_graph/executor/specialize/specialize_transform.h"

namespace switchyard::static_graph {

using phi::selection::Selection;
using TransformKind = phi::selection::Transform::Kind;

LayoutDescriptor OutputLayout(const BlockDraft& draft,
                              const DraftLaunch& launch, size_t slot) {
  for (const phi::selection::Transform& transform :
       launch.selection.output_transforms) {
    if (transform.slot == slot) return transform.layout;
  }
  return draft.plan.values[launch.instruction->outputs[slot]].meta.layout;
}

void RememberYielded(const DraftLaunch& launch, BlockDraft* draft) {
  for (const phi::selection::Transform& transform :
       launch.selection.output_transforms) {
    draft->resizable = false;
    const ValueId value = launch.instruction->outputs[transform.slot];
    const TensorId tensor = draft->tensor_of[value];
    draft->yielded[value] = tensor;
    YieldedTensor yielded = {draft->GetMeta(tensor), launch.instruction,
                             transform.slot};
    yielded.strided.layout = LayoutDescriptor();
    draft->as_strided[tensor] =
        std::make_unique<const YieldedTensor>(std::move(yielded));
  }
}

absl::Status Settle(ValueId value, BlockDraft* draft) {
  if (value == kNoValue || draft->yielded[value] == kNoTensor ||
      draft->tensor_of[value] != draft->yielded[value]) {
    return absl::OkStatus();
  }
  const YieldedTensor& yielded = *draft->as_strided[draft->yielded[value]];
  phi::selection::Transform back;
  back.kind = TransformKind::kReorder;
  back.slot = yielded.slot;
  SY_RETURN_IF_ERROR(AddTransform(back, *yielded.call, StepRole::kOutput,
                                  &draft->tensor_of[value], draft));
  draft->origins[draft->tensor_of[value]] = kNoTensor;
  return absl::OkStatus();
}

absl::Status SettleOperands(const Instruction& instruction, BlockDraft* draft) {
  for (ValueId input : instruction.inputs) {
    SY_RETURN_IF_ERROR(Settle(input, draft));
  }
  for (const auto& block : instruction.blocks()) {
    for (ValueId capture : block->captures) {
      SY_RETURN_IF_ERROR(Settle(capture, draft));
    }
  }
  return absl::OkStatus();
}

namespace {

TensorId YieldedInput(const BlockDraft& draft, const DraftLaunch& launch,
                      size_t slot) {
  const ValueId input = launch.instruction->inputs[slot];
  return input == kNoValue ? kNoTensor : draft.yielded[input];
}

// Selects for the launch as if inputs whose shapes `layout` describes came in
// it. Returns the layouts in which the kernel takes its inputs, and puts the
// transforms of its outputs into the launch; nothing if selection chooses
// another kernel than before.
std::optional<std::vector<LayoutDescriptor>> SelectInLayout(
    const BlockDraft& draft, LayoutDescriptor layout, DraftLaunch* launch) {
  std::vector<TensorMeta> metas(launch->inputs.size());
  std::vector<const TensorMeta*> inputs(metas.size(), nullptr);
  for (size_t slot = 0; slot < metas.size(); ++slot) {
    const TensorId tensor = launch->inputs[slot];
    if (tensor == kNoTensor) continue;
    metas[slot] = *draft.GetMetas({tensor})[0];
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
  const auto selection = phi::selection::Select(
      *launch->instruction->op_kernels, query.get(),
      launch->instruction->GetPolicy(draft.program.policy));
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
bool MayTake(const BlockDraft& draft, const DraftLaunch& launch,
             absl::Span<const LayoutDescriptor> taken) {
  bool as_it_is = false;
  for (size_t slot = 0; slot < taken.size(); ++slot) {
    const TensorId yielded = YieldedInput(draft, launch, slot);
    as_it_is |=
        yielded != kNoTensor && taken[slot] == draft.GetMeta(yielded).layout;
  }
  for (size_t slot = 0; slot < launch.outputs.size(); ++slot) {
    const Instruction::OutputSource source = launch.instruction->sources[slot];
    if (source.writes() &&
        taken[source.input] != OutputLayout(draft, launch, slot)) {
      return false;
    }
  }
  return as_it_is;
}

// Asks selection with the inputs in the layout of one of them. Adds what
// transforms its kernel then wants.
absl::StatusOr<bool> TakeInLayout(DraftLaunch* launch, BlockDraft* draft) {
  const Instruction& instruction = *launch->instruction;
  LayoutDescriptor layout;
  for (size_t slot = 0; slot < launch->inputs.size(); ++slot) {
    const TensorId yielded = YieldedInput(*draft, *launch, slot);
    if (yielded == kNoTensor || !layout.strided()) continue;
    layout = draft->GetMeta(yielded).layout;
  }
  const bool views =
      std::any_of(instruction.sources.begin(), instruction.sources.end(),
                  [](const Instruction::OutputSource& s) { return s.view; });
  if (layout.strided() || launch->selection.fallback || views) return false;
  const auto taken = SelectInLayout(*draft, layout, launch);
  if (!taken.has_value() || !MayTake(*draft, *launch, *taken)) return false;
  for (size_t slot = 0; slot < taken->size(); ++slot) {
    TensorId& input = launch->inputs[slot];
    if (input == kNoTensor) continue;
    const TensorId yielded = YieldedInput(*draft, *launch, slot);
    if (yielded != kNoTensor &&
        draft->GetMeta(yielded).layout == (*taken)[slot]) {
      input = yielded;
      continue;
    }
    if ((*taken)[slot].strided()) {
      SY_RETURN_IF_ERROR(Settle(instruction.inputs[slot], draft));
      input = draft->tensor_of[instruction.inputs[slot]];
      continue;
    }
    phi::selection::Transform reorder;
    reorder.kind = TransformKind::kReorder;
    reorder.slot = static_cast<uint16_t>(slot);
    reorder.layout = (*taken)[slot];
    SY_RETURN_IF_ERROR(
        AddTransform(reorder, instruction, StepRole::kInput, &input, draft));
  }
  return true;
}

}  // namespace

absl::Status SettleInputs(DraftLaunch* launch, BlockDraft* draft) {
  const Instruction& instruction = *launch->instruction;
  const bool any = std::any_of(
      instruction.inputs.begin(), instruction.inputs.end(),
      [draft](ValueId input) {
        return input != kNoValue && draft->yielded[input] != kNoTensor;
      });
  if (!any) return absl::OkStatus();
  const Selection strided = launch->selection;
  SY_ASSIGN_OR_RETURN(const bool taken, TakeInLayout(launch, draft));
  if (taken) return absl::OkStatus();
  launch->selection = strided;
  for (size_t slot = 0; slot < launch->inputs.size(); ++slot) {
    const ValueId input = instruction.inputs[slot];
    if (input == kNoValue) continue;
    SY_RETURN_IF_ERROR(Settle(input, draft));
    launch->inputs[slot] = draft->tensor_of[input];
  }
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
