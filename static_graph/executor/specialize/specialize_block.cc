// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/specialize/specialize_block.h"

#include <algorithm>

#include "framework/base/hash_map.h"
#include "framework/types/spec_text.h"
#include "static_graph/executor/chains/form_chains.h"
#include "static_graph/executor/memory/concat_parts.h"
#include "static_graph/executor/memory_verifier.h"
#include "static_graph/executor/run_value.h"
#include "static_graph/executor/specialize/specialize_launch.h"
#include "static_graph/executor/specialize/specialize_layouts.h"
#include "static_graph/executor/specialize/specialize_list.h"
#include "static_graph/executor/specialize/specialize_packing.h"
#include "static_graph/executor/tensor_copy.h"
#include "static_graph/executor/tensor_memory.h"

namespace switchyard::static_graph {
namespace {

// Returns the metadata of a value that control flow passes on: a dense one is
// copied and so contiguous, an array may have another length then.
TensorMeta Carried(const TensorMeta& meta) {
  TensorMeta carried = meta;
  carried.shape = ShapeFor(meta.kind, meta.shape);
  if (meta.kind != TensorKind::kDense) return carried;
  carried.strides = ContiguousStrides(meta.shape);
  carried.contiguous = true;
  carried.offset = 0;
  return carried;
}

bool SameShape(const TensorMeta& a, const TensorMeta& b) {
  return Carried(a).shape == Carried(b).shape;
}

// A Dim that the program leaves unknown may turn out to be another than 1.
absl::Status CheckCondition(const TensorMeta& meta) {
  if (meta.shape.numel() == 1) return absl::OkStatus();
  return ArgumentError("condition", "of one element",
                       SpecText(meta.dtype, meta.shape));
}

// Notes which inputs of concatenations are in place, once memory is planned.
void ListPartsInPlace(const ShapeSpecialization& made, StepList* list) {
  if (list == nullptr) return;
  HashMap<const Instruction*, ListedCall*> calls;
  for (ListedCall& call : list->calls) calls[call.instruction] = &call;
  for (const Step& step : made.steps) {
    const auto offsets = PartOffsets(made, step);
    const auto call = calls.find(step.call);
    if (!offsets.has_value() || call == calls.end()) continue;
    const TensorSlot& whole = made.tensors[step.outputs[0]];
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      const TensorSlot& part = made.tensors[made.tensors[step.inputs[i]].root];
      if (part.whole == step.outputs[0] &&
          part.offset == whole.offset + (*offsets)[i]) {
        call->second->in_place.push_back(static_cast<int>(i));
      }
    }
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<ShapeSpecialization>> BlockSpecializer::Run(
    std::vector<SegmentInput> inputs, size_t leaving) {
  SY_RETURN_IF_ERROR(AddInputs(std::move(inputs)));
  SY_RETURN_IF_ERROR(AddFrom(0));
  draft_.made->complete =
      draft_.made->end == static_cast<int>(draft_.plan.instructions.size());
  for (ValueId result : draft_.plan.results) {
    if (draft_.IsLate(result)) draft_.made->complete = false;
  }
  if (!draft_.made->complete) {
    if (draft_.list != nullptr) FinishList(/*runs=*/false, &draft_);
    return std::move(draft_.made);
  }
  for (ValueId result : draft_.plan.results) {
    SY_RETURN_IF_ERROR(Settle(result, &draft_));
    draft_.made->results.push_back(draft_.GetTensor(result));
  }
  return Finish(leaving);
}

absl::StatusOr<std::unique_ptr<ShapeSpecialization>>
BlockSpecializer::RunSegment(int begin, std::vector<SegmentInput> inputs) {
  SY_RETURN_IF_ERROR(AddInputs(std::move(inputs)));
  SY_RETURN_IF_ERROR(AddFrom(begin));
  for (size_t value = 0; value < draft_.plan.values.size(); ++value) {
    if (draft_.plan.values[value].source != PlanValue::Source::kComputed ||
        draft_.tensor_of[value] == kNoTensor ||
        draft_.plan.last_use[value] < draft_.made->end ||
        draft_.made->tensors[draft_.tensor_of[value]].value ==
            static_cast<ValueId>(value)) {
      continue;
    }
    SY_RETURN_IF_ERROR(Settle(static_cast<ValueId>(value), &draft_));
    draft_.made->live.push_back(static_cast<ValueId>(value));
    draft_.made->live_elided.push_back(draft_.elided[value]);
    draft_.made->results.push_back(draft_.tensor_of[value]);
  }
  return Finish(draft_.made->results.size());
}

absl::StatusOr<std::unique_ptr<ShapeSpecialization>> BlockSpecializer::Finish(
    size_t leaving) {
  MarkLeaving(leaving);
  SetPackingsApart(draft_.program, draft_.plan, draft_.made.get());
  if (draft_.list != nullptr) FinishList(/*runs=*/true, &draft_);
  SY_RETURN_IF_ERROR(FormChains(draft_.made.get(), draft_.list));
  SY_RETURN_IF_ERROR(PlanTensorMemory(draft_.made.get()));
  SY_RETURN_IF_ERROR(VerifyMemory(*draft_.made));
  ListPartsInPlace(*draft_.made, draft_.list);
  MarkResizable();
  return std::move(draft_.made);
}

absl::Status BlockSpecializer::AddInputs(std::vector<SegmentInput> inputs) {
  draft_.made->num_inputs = inputs.size();
  for (SegmentInput& input : inputs) {
    const PlanValue& described = draft_.plan.values[input.value];
    const bool constant = described.source == PlanValue::Source::kConstant;
    TensorSlot slot;
    slot.meta = std::move(input.meta);
    slot.storage =
        constant ? TensorSlot::Storage::kConstant : TensorSlot::Storage::kBound;
    slot.source = described.source;
    slot.index = described.index;
    slot.value = input.value;
    const TensorId tensor = draft_.AddTensor(std::move(slot));
    draft_.tensor_of[input.value] = tensor;
    draft_.resizable &= constant || !input.elements.allocated();
    draft_.known[tensor] = std::move(input.elements);
    if (!constant) continue;
    const DenseTensor& value = draft_.program.constants[described.index];
    // Elements are known where the host can read them, or needs them.
    if (value.place() == Place::Cpu() ||
        draft_.plan.decides_shapes[input.value]) {
      SY_ASSIGN_OR_RETURN(draft_.known[tensor], OnHost(value));
    }
  }
  return absl::OkStatus();
}

absl::Status BlockSpecializer::AddFrom(int begin) {
  draft_.made->begin = begin;
  draft_.made->end = begin;
  const int count = static_cast<int>(draft_.plan.instructions.size());
  for (; draft_.made->end < count; ++draft_.made->end) {
    SY_ASSIGN_OR_RETURN(const bool added,
                        Add(draft_.plan.instructions[draft_.made->end]));
    if (!added) break;
  }
  return absl::OkStatus();
}

bool BlockSpecializer::MustWait(const Instruction& instruction) const {
  for (ValueId input : instruction.inputs) {
    if (draft_.IsLate(input)) return true;
  }
  for (const auto& block : instruction.blocks()) {
    for (ValueId capture : block->captures) {
      if (draft_.IsLate(capture)) return true;
    }
  }
  for (const SuppliedValues& supplied : instruction.supplied()) {
    for (ValueId value : supplied.values) {
      if (!draft_.known[draft_.GetTensor(value)].allocated()) return true;
    }
  }
  if (!draft_.has_late) return false;
  // States are written last of all, since a later check may still refuse the
  // run.
  for (const Instruction::OutputSource& source : instruction.sources) {
    if (!source.writes()) continue;
    const TensorId target = draft_.GetTensor(instruction.inputs[source.input]);
    const std::vector<TensorSlot>& tensors = draft_.made->tensors;
    const TensorSlot& root = tensors[tensors[target].root];
    if (root.source == PlanValue::Source::kState) return true;
  }
  return false;
}

absl::StatusOr<bool> BlockSpecializer::Add(const Instruction& instruction) {
  if (MustWait(instruction)) return false;
  if (instruction.kind != Instruction::Kind::kLaunch) {
    draft_.resizable = false;
    SY_RETURN_IF_ERROR(SettleOperands(instruction, &draft_));
  }
  switch (instruction.kind) {
    case Instruction::Kind::kLaunch:
      SY_RETURN_IF_ERROR(ir::AtLocation(
          Annotate(AddLaunch(instruction, &draft_), instruction.op->name),
          instruction.location));
      return true;
    case Instruction::Kind::kIf:
      return AddIf(instruction);
    case Instruction::Kind::kWhile:
      return AddWhile(instruction);
  }
  return absl::InternalError("an instruction of no kind");
}

bool BlockSpecializer::AddBlock(const Plan& block,
                                absl::Span<const TensorId> own, Step* step,
                                std::vector<StepList>* lists) {
  std::vector<TensorId> captures;
  for (ValueId value : block.captures) {
    captures.push_back(draft_.GetTensor(value));
  }
  std::vector<SegmentInput> inputs;
  for (size_t i = 0; i < block.values.size(); ++i) {
    const PlanValue& value = block.values[i];
    const size_t index = static_cast<size_t>(value.index);
    SegmentInput input;
    input.value = static_cast<ValueId>(i);
    if (value.source == PlanValue::Source::kConstant) {
      input.meta = draft_.program.constants[index].meta();
    } else if (value.source != PlanValue::Source::kArgument) {
      continue;
    } else if (index < own.size()) {
      // A loop's own values are copied into memory of their own, contiguous.
      input.meta = Carried(draft_.GetMeta(own[index]));
    } else {
      const TensorId capture = captures[index - own.size()];
      input.meta = draft_.GetMeta(capture);
      input.elements = draft_.known[capture];
    }
    inputs.push_back(std::move(input));
  }
  StepList* const list =
      draft_.list == nullptr ? nullptr : &lists->emplace_back();
  absl::StatusOr<std::unique_ptr<ShapeSpecialization>> made =
      BlockSpecializer(draft_.program, block, draft_.counts, list)
          .Run(std::move(inputs), 0);
  // A block may be wrong for shapes with which it is never entered. A run that
  // enters it specializes it again and fails with this error then.
  if (!made.ok() || !(*made)->complete) return false;
  step->blocks.push_back(*std::move(made));
  step->captures.push_back(std::move(captures));
  return true;
}

absl::Status BlockSpecializer::AddResults(const Instruction& instruction,
                                          const ShapeSpecialization& from,
                                          Step* step) {
  for (size_t i = 0; i < instruction.outputs.size(); ++i) {
    TensorSlot slot;
    slot.meta = Carried(from.tensors[from.results[i]].meta);
    if (slot.meta.kind == TensorKind::kDense) {
      SY_ASSIGN_OR_RETURN(slot.bytes,
                          CheckedByteSize(slot.meta.dtype, slot.meta.shape));
    } else {
      slot.storage = TensorSlot::Storage::kOwn;
    }
    const TensorId id = draft_.AddTensor(std::move(slot));
    draft_.tensor_of[instruction.outputs[i]] = id;
    step->outputs.push_back(id);
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> BlockSpecializer::AddIf(const Instruction& instruction) {
  Step step;
  std::vector<StepList> lists;
  step.instruction = &instruction;
  step.call = &instruction;
  step.inputs = {draft_.GetTensor(instruction.inputs[0])};
  SY_RETURN_IF_ERROR(
      Annotate(CheckCondition(draft_.GetMeta(step.inputs[0])), "cf.if"));
  for (const auto& block : instruction.blocks()) {
    if (!AddBlock(*block, {}, &step, &lists)) return false;
  }
  // If the branches disagree, the shape depends on the one that runs.
  for (size_t i = 0; i < instruction.outputs.size(); ++i) {
    const TensorMeta& a =
        step.blocks[0]->tensors[step.blocks[0]->results[i]].meta;
    const TensorMeta& b =
        step.blocks[1]->tensors[step.blocks[1]->results[i]].meta;
    if (!SameShape(a, b)) return false;
  }
  SY_RETURN_IF_ERROR(AddResults(instruction, *step.blocks[0], &step));
  if (draft_.list != nullptr) {
    NoteControl(instruction, std::move(lists), &draft_);
  }
  draft_.made->steps.push_back(std::move(step));
  return true;
}

absl::StatusOr<bool> BlockSpecializer::AddWhile(
    const Instruction& instruction) {
  Step step;
  std::vector<StepList> lists;
  step.instruction = &instruction;
  step.call = &instruction;
  for (ValueId value : instruction.inputs) {
    step.inputs.push_back(draft_.GetTensor(value));
  }
  for (const auto& block : instruction.blocks()) {
    if (!AddBlock(*block, step.inputs, &step, &lists)) return false;
  }
  const ShapeSpecialization& condition = *step.blocks[0];
  SY_RETURN_IF_ERROR(
      Annotate(CheckCondition(condition.tensors[condition.results[0]].meta),
               "cf.while"));
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    const TensorMeta& before = draft_.GetMeta(step.inputs[i]);
    const TensorMeta& after =
        step.blocks[1]->tensors[step.blocks[1]->results[i]].meta;
    if (!SameShape(before, after)) return false;
  }
  SY_RETURN_IF_ERROR(AddResults(instruction, *step.blocks[1], &step));
  if (draft_.list != nullptr) {
    NoteControl(instruction, std::move(lists), &draft_);
  }
  draft_.made->steps.push_back(std::move(step));
  return true;
}

// A result's memory outlives the frame's, and so does that of a tensor that it
// views.
void BlockSpecializer::MarkLeaving(size_t leaving) {
  std::vector<bool> seen(draft_.made->tensors.size(), false);  // By root.
  for (size_t i = 0; i < leaving; ++i) {
    const TensorId id = draft_.made->tensors[draft_.made->results[i]].root;
    draft_.made->shares_memory.push_back(seen[id]);
    seen[id] = true;
    TensorSlot& root = draft_.made->tensors[id];
    if (root.storage == TensorSlot::Storage::kPlanned) {
      root.storage = TensorSlot::Storage::kFresh;
    }
  }
}

void BlockSpecializer::MarkResizable() {
  const auto open = [](const ProgramPlan::Port& feed) {
    return !feed.meta.shape.known();
  };
  const auto chain = [](const Step& step) { return step.chain != nullptr; };
  const bool chains =
      std::any_of(draft_.made->steps.begin(), draft_.made->steps.end(), chain);
  const bool whole = draft_.made->complete;
  const bool varies = !whole || (&draft_.plan == &draft_.program.body &&
                                 std::any_of(draft_.program.feeds.begin(),
                                             draft_.program.feeds.end(), open));
  const int count = static_cast<int>(draft_.plan.instructions.size());
  if (!draft_.resizable || chains || !varies || draft_.list != nullptr ||
      draft_.program.place != Place::Cpu() ||
      draft_.made->begin == draft_.made->end ||
      (draft_.made->end < count &&
       draft_.plan.instructions[draft_.made->end].kind !=
           Instruction::Kind::kLaunch)) {
    return;
  }
  draft_.made->resizable = true;
  draft_.made->tensor_of = std::move(draft_.tensor_of);
  draft_.made->elided = std::move(draft_.elided);
}

}  // namespace switchyard::static_graph
