// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/specialize_block.h"

#include <algorithm>

#include "framework/base/hash_map.h"
#include "framework/types/spec_text.h"
#include "static_graph/executor/chains/form_chains.h"
#include "static_graph/executor/memory/concat_parts.h"
#include "static_graph/executor/memory_verifier.h"
#include "static_graph/executor/run_value.h"
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
  made_->complete = made_->end == static_cast<int>(plan_.instructions.size());
  for (ValueId result : plan_.results) {
    if (IsLate(result)) made_->complete = false;
  }
  if (!made_->complete) {
    if (list_ != nullptr) {
      FinishList(/*runs=*/false);
      MarkUnsettled();
    }
    return std::move(made_);
  }
  for (ValueId result : plan_.results) {
    SY_RETURN_IF_ERROR(Settle(result));
    made_->results.push_back(GetTensor(result));
  }
  MarkLeaving(leaving);
  SetPackingsApart();
  if (list_ != nullptr) FinishList(/*runs=*/true);
  SY_RETURN_IF_ERROR(FormChains(made_.get(), list_));
  SY_RETURN_IF_ERROR(PlanTensorMemory(made_.get()));
  SY_RETURN_IF_ERROR(VerifyMemory(*made_));
  ListPartsInPlace(*made_, list_);
  MarkResizable();
  return std::move(made_);
}

absl::StatusOr<std::unique_ptr<ShapeSpecialization>>
BlockSpecializer::RunSegment(int begin, std::vector<SegmentInput> inputs) {
  SY_RETURN_IF_ERROR(AddInputs(std::move(inputs)));
  SY_RETURN_IF_ERROR(AddFrom(begin));
  for (size_t value = 0; value < plan_.values.size(); ++value) {
    if (plan_.values[value].source != PlanValue::Source::kComputed ||
        tensor_of_[value] == kNoTensor || plan_.last_use[value] < made_->end ||
        made_->tensors[tensor_of_[value]].value ==
            static_cast<ValueId>(value)) {
      continue;
    }
    SY_RETURN_IF_ERROR(Settle(static_cast<ValueId>(value)));
    made_->live.push_back(static_cast<ValueId>(value));
    made_->live_elided.push_back(elided_[value]);
    made_->results.push_back(tensor_of_[value]);
  }
  MarkLeaving(made_->results.size());
  SetPackingsApart();
  if (list_ != nullptr) FinishList(/*runs=*/true);
  SY_RETURN_IF_ERROR(FormChains(made_.get(), list_));
  SY_RETURN_IF_ERROR(PlanTensorMemory(made_.get()));
  SY_RETURN_IF_ERROR(VerifyMemory(*made_));
  ListPartsInPlace(*made_, list_);
  MarkResizable();
  return std::move(made_);
}

absl::Status BlockSpecializer::AddInputs(std::vector<SegmentInput> inputs) {
  tensor_of_.assign(plan_.values.size(), kNoTensor);
  yielded_.assign(plan_.values.size(), kNoTensor);
  elided_.assign(plan_.values.size(), false);
  made_->num_inputs = inputs.size();
  for (SegmentInput& input : inputs) {
    const PlanValue& described = plan_.values[input.value];
    const bool constant = described.source == PlanValue::Source::kConstant;
    TensorSlot slot;
    slot.meta = std::move(input.meta);
    slot.storage =
        constant ? TensorSlot::Storage::kConstant : TensorSlot::Storage::kBound;
    slot.source = described.source;
    slot.index = described.index;
    slot.value = input.value;
    const TensorId tensor = AddTensor(std::move(slot));
    tensor_of_[input.value] = tensor;
    resizable_ &= constant || !input.elements.allocated();
    known_[tensor] = std::move(input.elements);
    if (!constant) continue;
    const DenseTensor& value = program_.constants[described.index];
    // Elements are known where the host can read them, or needs them.
    if (value.place() == Place::Cpu() || plan_.decides_shapes[input.value]) {
      SY_ASSIGN_OR_RETURN(known_[tensor], OnHost(value));
    }
  }
  return absl::OkStatus();
}

absl::Status BlockSpecializer::AddFrom(int begin) {
  made_->begin = begin;
  made_->end = begin;
  const int count = static_cast<int>(plan_.instructions.size());
  for (; made_->end < count; ++made_->end) {
    SY_ASSIGN_OR_RETURN(const bool added, Add(plan_.instructions[made_->end]));
    if (!added) break;
  }
  return absl::OkStatus();
}

bool BlockSpecializer::IsLate(ValueId value) const {
  const TensorId tensor = GetTensor(value);
  return tensor != kNoTensor &&
         made_->tensors[tensor].storage == TensorSlot::Storage::kOwn &&
         made_->tensors[tensor].meta.kind == TensorKind::kDense;
}

bool BlockSpecializer::MustWait(const Instruction& instruction) const {
  for (ValueId input : instruction.inputs) {
    if (IsLate(input)) return true;
  }
  for (const auto& block : instruction.blocks()) {
    for (ValueId capture : block->captures) {
      if (IsLate(capture)) return true;
    }
  }
  for (const SuppliedValues& supplied : instruction.supplied()) {
    for (ValueId value : supplied.values) {
      if (!known_[GetTensor(value)].allocated()) return true;
    }
  }
  if (!has_late_) return false;
  // States are written last of all: what is not known yet may be refused.
  for (const Instruction::OutputSource& source : instruction.sources) {
    if (!source.writes()) continue;
    const TensorId root =
        made_->tensors[GetTensor(instruction.inputs[source.input])].root;
    if (made_->tensors[root].source == PlanValue::Source::kState) return true;
  }
  return false;
}

absl::StatusOr<bool> BlockSpecializer::Add(const Instruction& instruction) {
  if (MustWait(instruction)) return false;
  if (instruction.kind != Instruction::Kind::kLaunch) {
    resizable_ = false;
    SY_RETURN_IF_ERROR(SettleOperands(instruction));
  }
  switch (instruction.kind) {
    case Instruction::Kind::kLaunch:
      SY_RETURN_IF_ERROR(
          ir::AtLocation(Annotate(AddLaunch(instruction), instruction.op->name),
                         instruction.location));
      return true;
    case Instruction::Kind::kIf:
      return AddIf(instruction);
    case Instruction::Kind::kWhile:
      return AddWhile(instruction);
  }
  return absl::InternalError("an instruction of no kind");
}

TensorId BlockSpecializer::AddTensor(TensorSlot slot) {
  const TensorId id = static_cast<TensorId>(made_->tensors.size());
  if (slot.root == kNoTensor) slot.root = id;
  made_->tensors.push_back(std::move(slot));
  origins_.push_back(kNoTensor);
  known_.emplace_back();
  as_strided_.emplace_back();
  return id;
}

bool BlockSpecializer::AddBlock(const Plan& block,
                                absl::Span<const TensorId> own, Step* step,
                                std::vector<StepList>* lists) {
  std::vector<TensorId> captures;
  for (ValueId value : block.captures) captures.push_back(GetTensor(value));
  std::vector<SegmentInput> inputs;
  for (size_t i = 0; i < block.values.size(); ++i) {
    const PlanValue& value = block.values[i];
    const size_t index = static_cast<size_t>(value.index);
    SegmentInput input;
    input.value = static_cast<ValueId>(i);
    if (value.source == PlanValue::Source::kConstant) {
      input.meta = program_.constants[index].meta();
    } else if (value.source != PlanValue::Source::kArgument) {
      continue;
    } else if (index < own.size()) {
      // A loop's own values are copied into memory of their own, contiguous.
      input.meta = Carried(GetMeta(own[index]));
    } else {
      const TensorId capture = captures[index - own.size()];
      input.meta = GetMeta(capture);
      input.elements = known_[capture];
    }
    inputs.push_back(std::move(input));
  }
  StepList* const list = list_ == nullptr ? nullptr : &lists->emplace_back();
  absl::StatusOr<std::unique_ptr<ShapeSpecialization>> made =
      BlockSpecializer(program_, block, counts_, list)
          .Run(std::move(inputs), 0);
  // A block may be wrong for shapes with which it is never entered. A run that
  // enters it specializes it again and fails with this error then.
  if (!made.ok() || !(*made)->complete) return false;
  step->blocks.push_back(*std::move(made));
  step->captures.push_back(std::move(captures));
  return true;
}

void BlockSpecializer::RecordControl(const Instruction& control,
                                     std::vector<StepList> lists) {
  if (list_ == nullptr) return;
  ListedCall& call = list_->calls.emplace_back();
  call.instruction = &control;
  call.blocks = std::move(lists);
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
    const TensorId id = AddTensor(std::move(slot));
    tensor_of_[instruction.outputs[i]] = id;
    step->outputs.push_back(id);
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> BlockSpecializer::AddIf(const Instruction& instruction) {
  Step step;
  std::vector<StepList> lists;
  step.instruction = &instruction;
  step.call = &instruction;
  step.inputs = {GetTensor(instruction.inputs[0])};
  SY_RETURN_IF_ERROR(
      Annotate(CheckCondition(GetMeta(step.inputs[0])), "cf.if"));
  for (const auto& block : instruction.blocks()) {
    if (!AddBlock(*block, {}, &step, &lists)) return false;
  }
  // Where the branches disagree the one that runs tells.
  for (size_t i = 0; i < instruction.outputs.size(); ++i) {
    const TensorMeta& a =
        step.blocks[0]->tensors[step.blocks[0]->results[i]].meta;
    const TensorMeta& b =
        step.blocks[1]->tensors[step.blocks[1]->results[i]].meta;
    if (!SameShape(a, b)) return false;
  }
  SY_RETURN_IF_ERROR(AddResults(instruction, *step.blocks[0], &step));
  RecordControl(instruction, std::move(lists));
  made_->steps.push_back(std::move(step));
  return true;
}

absl::StatusOr<bool> BlockSpecializer::AddWhile(
    const Instruction& instruction) {
  Step step;
  std::vector<StepList> lists;
  step.instruction = &instruction;
  step.call = &instruction;
  for (ValueId value : instruction.inputs) {
    step.inputs.push_back(GetTensor(value));
  }
  for (const auto& block : instruction.blocks()) {
    if (!AddBlock(*block, step.inputs, &step, &lists)) return false;
  }
  const ShapeSpecialization& condition = *step.blocks[0];
  SY_RETURN_IF_ERROR(
      Annotate(CheckCondition(condition.tensors[condition.results[0]].meta),
               "cf.while"));
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    const TensorMeta& before = GetMeta(step.inputs[i]);
    const TensorMeta& after =
        step.blocks[1]->tensors[step.blocks[1]->results[i]].meta;
    if (!SameShape(before, after)) return false;
  }
  SY_RETURN_IF_ERROR(AddResults(instruction, *step.blocks[1], &step));
  RecordControl(instruction, std::move(lists));
  made_->steps.push_back(std::move(step));
  return true;
}

// A result's memory outlives the frame's, and so does that of what it views.
void BlockSpecializer::MarkLeaving(size_t leaving) {
  std::vector<bool> seen(made_->tensors.size(), false);  // By root.
  for (size_t i = 0; i < leaving; ++i) {
    const TensorId id = made_->tensors[made_->results[i]].root;
    made_->shares_memory.push_back(seen[id]);
    seen[id] = true;
    TensorSlot& root = made_->tensors[id];
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
      std::any_of(made_->steps.begin(), made_->steps.end(), chain);
  const bool whole = made_->complete;
  const bool varies = !whole || (&plan_ == &program_.body &&
                                 std::any_of(program_.feeds.begin(),
                                             program_.feeds.end(), open));
  const int count = static_cast<int>(plan_.instructions.size());
  if (!resizable_ || chains || !varies || list_ != nullptr ||
      program_.place != Place::Cpu() || made_->begin == made_->end ||
      (made_->end < count &&
       plan_.instructions[made_->end].kind != Instruction::Kind::kLaunch)) {
    return;
  }
  made_->resizable = true;
  made_->tensor_of = std::move(tensor_of_);
  made_->elided = std::move(elided_);
}

}  // namespace switchyard::static_graph
