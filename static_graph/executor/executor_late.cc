// SPDX-License-Identifier: Apache-2.0
// Executor::Run for programs of which shapes depend on elements.
#include <utility>

#include "absl/strings/str_cat.h"
#include "static_graph/executor/executor_frame.h"
#include "static_graph/executor/run_chain.h"
#include "static_graph/executor/specialize/specialize.h"
#include "static_graph/executor/step_lister.h"
#include "static_graph/executor/tensor_copy.h"

namespace switchyard::static_graph {
namespace {

// Hands `value` out of a run: itself, unless others see or write its memory.
absl::StatusOr<RunValue> Exclusive(const RunValue& value,
                                   HashSet<const Buffer*>* seen) {
  if (value.other != nullptr) return value;
  if (seen->insert(value.dense.buffer().get()).second) return value;
  SY_ASSIGN_OR_RETURN(DenseTensor copy, ContiguousCopy(value.dense));
  return RunValue(std::move(copy));
}

}  // namespace

absl::StatusOr<std::vector<RunValue>> Executor::LateInputs(
    absl::Span<const RunValue> feeds, const Frame& frame) const {
  std::vector<RunValue> values(plan_.body.values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const PlanValue& described = plan_.body.values[i];
    switch (described.source) {
      case PlanValue::Source::kFeed: {
        const RunValue& feed = feeds[described.index];
        const bool written = feed.other == nullptr
                                 ? frame.updated.Overlaps(feed.dense)
                                 : frame.updated.OverlapsPart(*feed.other);
        if (feed.base().contiguous() && !written) {
          values[i] = feed;
        } else if (feed.other != nullptr) {
          SY_ASSIGN_OR_RETURN(values[i].other, CopyOfParts(*feed.other));
        } else {
          SY_ASSIGN_OR_RETURN(values[i].dense, ContiguousCopy(feed.dense));
        }
        break;
      }
      case PlanValue::Source::kState:
        values[i].dense = frame.states[described.index];
        break;
      case PlanValue::Source::kConstant:
        values[i].dense = plan_.constants[described.index];
        break;
      case PlanValue::Source::kArgument:
      case PlanValue::Source::kComputed:
        break;
    }
  }
  return values;
}

absl::Status Executor::RunLate(absl::Span<const RunValue> feeds, State* state,
                               std::vector<RunValue>* fetches,
                               const RunOptions& options) const {
  Frame frame;
  SY_RETURN_IF_ERROR(BindStates(state, &frame));
  SY_ASSIGN_OR_RETURN(std::vector<RunValue> inputs, LateInputs(feeds, frame));
  HashSet<const Buffer*> foreign;
  for (const RunValue& input : inputs) {
    if (input.dense.allocated()) foreign.insert(input.dense.buffer().get());
  }
  RunChain chain;
  if (plan_.place != Place::Cpu()) {
    SY_RETURN_IF_ERROR(chain.Open(plan_.place));
  }
  const absl::StatusOr<std::vector<RunValue>> ran =
      late_->Run(plan_.body, std::move(inputs), options);
  absl::Status status = ran.status();
  if (chain.is_open() && status.ok() && !options.asynchronous) {
    status = chain.Wait();
  }
  if (!status.ok()) {
    if (!options.asynchronous) chain.Keep(frame.states);
    for (const ProgramPlan::Update& update : plan_.updates) {
      if (options.asynchronous) chain.Lose(frame.states[update.state]);
    }
    return status;
  }
  const std::vector<RunValue>& results = *ran;
  // All results are read before a state is written.
  std::vector<RunValue> handed;
  HashSet<const Buffer*> seen = foreign;
  for (size_t i = 0; i < plan_.fetches.size(); ++i) {
    SY_ASSIGN_OR_RETURN(handed.emplace_back(), Exclusive(results[i], &seen));
  }
  std::vector<DenseTensor> updates;
  for (size_t i = 0; i < plan_.updates.size(); ++i) {
    const DenseTensor& value = results[plan_.fetches.size() + i].dense;
    SY_RETURN_IF_ERROR(CheckUpdate(plan_.updates[i], frame, value.shape()));
    const bool copied =
        !plan_.updates[i].in_place && Contains(foreign, value.buffer().get());
    SY_ASSIGN_OR_RETURN(updates.emplace_back(),
                        copied ? ContiguousCopy(value) : value);
  }
  *fetches = std::move(handed);
  for (size_t i = 0; i < plan_.updates.size(); ++i) {
    const ProgramPlan::Update& update = plan_.updates[i];
    DenseTensor& target = frame.states[update.state];
    if (!update.in_place) {
      SY_RETURN_IF_ERROR(CopyElements(updates[i], &target));
    }
    target.buffer()->BumpVersion();
  }
  return absl::OkStatus();
}

absl::Status Executor::CheckUpdate(const ProgramPlan::Update& update,
                                   const Frame& frame,
                                   const Shape& value) const {
  const Shape& state = frame.states[update.state].shape();
  if (update.in_place || value == state) return absl::OkStatus();
  return ArgumentError(
      absl::StrCat("new state ", plan_.states[update.state].name),
      absl::StrCat("of shape ", ToString(state)), ToString(value));
}

absl::Status Executor::CheckShapes(absl::Span<const Shape> feeds) const {
  if (feeds.size() != plan_.feeds.size()) {
    return ArgumentError("feeds", absl::StrCat(plan_.feeds.size(), " shapes"),
                         absl::StrCat(feeds.size()));
  }
  for (size_t i = 0; i < feeds.size(); ++i) {
    const ProgramPlan::Port& port = plan_.feeds[i];
    if (MayEqual(feeds[i], port.meta.shape)) continue;
    return ArgumentError(absl::StrCat("feed ", port.name),
                         ToString(port.meta.shape), ToString(feeds[i]));
  }
  return absl::OkStatus();
}

absl::StatusOr<StepList> Executor::Steps(absl::Span<const Shape> feeds) const {
  SY_RETURN_IF_ERROR(CheckShapes(feeds));
  bool known = true;
  for (size_t i = 0; i < feeds.size(); ++i) {
    // The length of an array is no part of what a program is specialized for.
    known &= feeds[i].known() ||
             plan_.feeds[i].meta.kind == TensorKind::kTensorArray;
  }
  if (!known) return ListOpen(plan_, feeds, /*begin=*/0);
  SpecializationCounts counts;
  StepList steps;
  const auto made = Specialize(plan_, feeds, &counts, &steps);
  // A call that these shapes forbid is found among the others below.
  if (!made.ok()) return ListOpen(plan_, feeds, /*begin=*/0);
  if ((*made)->complete) return steps;
  SY_ASSIGN_OR_RETURN(StepList rest, ListOpen(plan_, feeds, (*made)->end));
  steps.Append(std::move(rest));
  return steps;
}

absl::StatusOr<std::optional<PlannedMemory>> Executor::Memory(
    absl::Span<const Shape> feeds) const {
  SY_RETURN_IF_ERROR(CheckShapes(feeds));
  for (const Shape& feed : feeds) {
    if (!feed.known()) return std::optional<PlannedMemory>();
  }
  SpecializationCounts counts;
  const auto made = Specialize(plan_, feeds, &counts);
  if (!made.ok() || !(*made)->complete) return std::optional<PlannedMemory>();
  return std::optional<PlannedMemory>(PlannedMemoryOf(**made));
}

absl::StatusOr<StepList> Executor::StepsOfRun(absl::Span<const RunValue> feeds,
                                              const State* state,
                                              const RunOptions& options) const {
  SY_RETURN_IF_ERROR(CheckFeeds(feeds));
  Frame frame;
  SY_RETURN_IF_ERROR(BindStates(state, &frame));
  for (const ProgramPlan::Update& update : plan_.updates) {
    DenseTensor& written = frame.states[update.state];
    SY_ASSIGN_OR_RETURN(written, ContiguousCopy(written));
  }
  SY_ASSIGN_OR_RETURN(std::vector<RunValue> inputs, LateInputs(feeds, frame));
  RunChain chain;
  if (plan_.place != Place::Cpu()) {
    SY_RETURN_IF_ERROR(chain.Open(plan_.place));
  }
  StepList steps;
  RunOptions recorded = options;
  recorded.steps = &steps;
  SY_RETURN_IF_ERROR(
      late_->Run(plan_.body, std::move(inputs), recorded).status());
  if (chain.is_open()) SY_RETURN_IF_ERROR(chain.Wait());
  return steps;
}

}  // namespace switchyard::static_graph
