// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/run_frame.h"

#include "absl/base/optimization.h"
#include "absl/strings/str_cat.h"
#include "framework/tensor/owned_tensor.h"
#include "framework/types/spec_text.h"
#include "static_graph/executor/feed_check.h"
#include "static_graph/executor/tensor_copy.h"

namespace switchyard::static_graph {
namespace {

// Binds a feed that is not dense, or a copy of one that is strided or that the
// run writes over.
absl::Status BindOther(TensorId id, const TensorBase& feed, RunFrame* frame) {
  if (feed.contiguous() && !frame->updated.OverlapsPart(feed)) {
    frame->block->tensors().BindOther(id, feed);
    return absl::OkStatus();
  }
  SY_ASSIGN_OR_RETURN(const auto copy, CopyOfParts(feed));
  frame->block->tensors().BindOther(id, *copy);
  return absl::OkStatus();
}

}  // namespace

absl::Status BindStates(const ProgramPlan& plan, const State* state,
                        RunFrame* frame) {
  if (plan.states.empty()) return absl::OkStatus();
  if (state == nullptr) {
    return ArgumentError(
        "state",
        absl::StrCat("given: the program has the state ", plan.states[0].name),
        "none");
  }
  if (frame->state_layout != state->layout()) {
    frame->state_layout = 0;
    frame->state_positions.clear();
    for (const ProgramPlan::Port& port : plan.states) {
      const int position = state->FindIndex(port.name);
      if (position < 0) {
        return ArgumentError(absl::StrCat("state ", port.name),
                             SpecText(port.meta), "none");
      }
      frame->state_positions.push_back(position);
    }
    frame->state_layout = state->layout();
  }
  frame->states.clear();
  for (size_t i = 0; i < plan.states.size(); ++i) {
    frame->states.push_back(state->entries()[frame->state_positions[i]].tensor);
    SY_RETURN_IF_ERROR(
        CheckTensor("state", plan.states[i], plan.place, frame->states.back()));
  }
  return frame->updated.Bind(plan, frame->states);
}

absl::Status PrepareRun(const ProgramPlan& plan, const PackedValues& packed,
                        absl::Span<const RunValue> feeds,
                        const RunOptions& options, RunFrame* frame) {
  const ShapeSpecialization& made = frame->block->specialization();
  for (const TensorId id : frame->block->tensors().foreign()) {
    const TensorSlot& slot = made.tensors[id];
    if (slot.root != id) continue;
    if (slot.storage == TensorSlot::Storage::kFresh) {
      SY_RETURN_IF_ERROR(frame->block->tensors().BindFresh(id));
    } else if (slot.source == PlanValue::Source::kState) {
      frame->block->tensors().Bind(id, frame->states[slot.index]);
    } else if (slot.source == PlanValue::Source::kFeed) {
      if (const auto& other = feeds[slot.index].other) {
        SY_RETURN_IF_ERROR(BindOther(id, *other, frame));
        continue;
      }
      const DenseTensor& feed = feeds[slot.index].dense;
      if (feed.contiguous() && !frame->updated.Overlaps(feed)) {
        frame->block->tensors().Bind(id, feed);
        continue;
      }
      SY_ASSIGN_OR_RETURN(const DenseTensor copy, ContiguousCopy(feed));
      frame->block->tensors().Bind(id, copy);
    }
  }
  if (!made.packings.empty()) {
    SY_RETURN_IF_ERROR(packed.Bind(frame->states, plan.constants,
                                   options.profile, frame->block.get(),
                                   &frame->packings));
  }
  frame->copies.clear();
  for (size_t i = 0; i < made.results.size(); ++i) {
    const TensorSlot& result = made.tensors[made.results[i]];
    const TensorSlot& root = made.tensors[result.root];
    if (result.meta.kind != TensorKind::kDense) continue;  // Handed over.
    if (i < plan.fetches.size()) {
      // Memory that others see or write is not handed out.
      if (root.storage == TensorSlot::Storage::kFresh &&
          !made.shares_memory[i]) {
        continue;
      }
    } else if (root.source != PlanValue::Source::kState ||
               plan.updates[i - plan.fetches.size()].in_place) {
      continue;
    }
    frame->copies.resize(made.results.size());
    SY_ASSIGN_OR_RETURN(frame->copies[i], AllocateLike(result.meta));
  }
  return absl::OkStatus();
}

absl::Status CommitRun(const ProgramPlan& plan, RunFrame* frame,
                       std::vector<RunValue>* fetches) {
  const ShapeSpecialization& made = frame->block->specialization();
  for (size_t i = 0; i < plan.updates.size(); ++i) {
    const auto result = made.results[plan.fetches.size() + i];
    SY_RETURN_IF_ERROR(
        CheckUpdate(plan, plan.updates[i], *frame,
                    frame->block->tensors().dense(result).shape()));
  }
  // New states may be old values of others: all are read, then written.
  for (size_t i = 0; i < frame->copies.size(); ++i) {
    DenseTensor& copy = frame->copies[i];
    if (!copy.allocated()) continue;
    const DenseTensor& from = frame->block->tensors().dense(made.results[i]);
    SY_RETURN_IF_ERROR(CopyElements(from, &copy));
    copy.SetLod(from.lod());
  }
  const auto value = [&](size_t i) -> const DenseTensor& {
    const bool copied = !frame->copies.empty() && frame->copies[i].allocated();
    return copied ? frame->copies[i]
                  : frame->block->tensors().dense(made.results[i]);
  };
  for (size_t i = 0; i < plan.fetches.size(); ++i) {
    const TensorBase* const other =
        frame->block->tensors().other(made.results[i]);
    if (ABSL_PREDICT_TRUE(other == nullptr)) {
      fetches->emplace_back(value(i));
    } else {
      fetches->emplace_back(
          std::shared_ptr<const TensorBase>(CopyTensor(*other)));
    }
  }
  for (size_t i = 0; i < plan.updates.size(); ++i) {
    const ProgramPlan::Update& update = plan.updates[i];
    if (!update.in_place) {
      SY_RETURN_IF_ERROR(CopyElements(value(plan.fetches.size() + i),
                                      &frame->states[update.state]));
    }
    // A value that autograd saved before the update is stale now.
    frame->states[update.state].buffer()->BumpVersion();
  }
  return absl::OkStatus();
}

absl::Status CheckUpdate(const ProgramPlan& plan,
                         const ProgramPlan::Update& update,
                         const RunFrame& frame, const Shape& value) {
  const Shape& state = frame.states[update.state].shape();
  if (update.in_place || value == state) return absl::OkStatus();
  return ArgumentError(
      absl::StrCat("new state ", plan.states[update.state].name),
      absl::StrCat("of shape ", ToString(state)), ToString(value));
}

}  // namespace switchyard::static_graph
