// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/late_run.h"

#include <utility>

#include "framework/base/hash_map.h"
#include "static_graph/executor/run_chain.h"
#include "static_graph/executor/run_frame.h"
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

absl::StatusOr<std::vector<RunValue>> LateInputs(
    const ProgramPlan& plan, absl::Span<const RunValue> feeds,
    const RunFrame& frame) {
  std::vector<RunValue> values(plan.body.values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const PlanValue& described = plan.body.values[i];
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
        values[i].dense = plan.constants[described.index];
        break;
      case PlanValue::Source::kArgument:
      case PlanValue::Source::kComputed:
        break;
    }
  }
  return values;
}

// Whether the new value of a state lies in its memory. One that was written
// there may have been copied where it went from one segment to another.
bool LiesInState(const ProgramPlan::Update& update, const DenseTensor& value,
                 const RunFrame& frame) {
  return update.in_place &&
         value.buffer() == frame.states[update.state].buffer();
}

}  // namespace

absl::Status RunLate(const ProgramPlan& plan, const LateRunner& runner,
                     absl::Span<const RunValue> feeds, State* state,
                     std::vector<RunValue>* fetches,
                     const RunOptions& options) {
  RunFrame frame;
  SY_RETURN_IF_ERROR(BindStates(plan, state, &frame));
  SY_ASSIGN_OR_RETURN(std::vector<RunValue> inputs,
                      LateInputs(plan, feeds, frame));
  HashSet<const Buffer*> foreign;
  for (const RunValue& input : inputs) {
    if (input.dense.allocated()) foreign.insert(input.dense.buffer().get());
  }
  RunChain chain;
  if (plan.place != Place::Cpu()) {
    SY_RETURN_IF_ERROR(chain.Open(plan.place));
  }
  const absl::StatusOr<std::vector<RunValue>> ran =
      runner.Run(plan.body, std::move(inputs), options);
  absl::Status status = ran.status();
  if (chain.is_open() && status.ok() && !options.asynchronous) {
    status = chain.Wait();
  }
  if (!status.ok()) {
    if (!options.asynchronous) chain.Keep(frame.states);
    for (const ProgramPlan::Update& update : plan.updates) {
      if (options.asynchronous) chain.Lose(frame.states[update.state]);
    }
    return status;
  }
  const std::vector<RunValue>& results = *ran;
  // All results are read before a state is written.
  std::vector<RunValue> handed;
  HashSet<const Buffer*> seen = foreign;
  for (size_t i = 0; i < plan.fetches.size(); ++i) {
    SY_ASSIGN_OR_RETURN(handed.emplace_back(), Exclusive(results[i], &seen));
  }
  std::vector<DenseTensor> updates;
  for (size_t i = 0; i < plan.updates.size(); ++i) {
    const DenseTensor& value = results[plan.fetches.size() + i].dense;
    SY_RETURN_IF_ERROR(
        CheckUpdate(plan, plan.updates[i], frame, value.shape()));
    const bool copied = !LiesInState(plan.updates[i], value, frame) &&
                        Contains(foreign, value.buffer().get());
    SY_ASSIGN_OR_RETURN(updates.emplace_back(),
                        copied ? ContiguousCopy(value) : value);
  }
  *fetches = std::move(handed);
  for (size_t i = 0; i < plan.updates.size(); ++i) {
    const ProgramPlan::Update& update = plan.updates[i];
    DenseTensor& target = frame.states[update.state];
    if (!LiesInState(update, updates[i], frame)) {
      SY_RETURN_IF_ERROR(CopyElements(updates[i], &target));
    }
    target.buffer()->BumpVersion();
  }
  return absl::OkStatus();
}

absl::StatusOr<StepList> StepsOfLateRun(const ProgramPlan& plan,
                                        const LateRunner& runner,
                                        absl::Span<const RunValue> feeds,
                                        const State* state,
                                        const RunOptions& options) {
  RunFrame frame;
  SY_RETURN_IF_ERROR(BindStates(plan, state, &frame));
  for (const ProgramPlan::Update& update : plan.updates) {
    DenseTensor& written = frame.states[update.state];
    SY_ASSIGN_OR_RETURN(written, ContiguousCopy(written));
  }
  SY_ASSIGN_OR_RETURN(std::vector<RunValue> inputs,
                      LateInputs(plan, feeds, frame));
  RunChain chain;
  if (plan.place != Place::Cpu()) {
    SY_RETURN_IF_ERROR(chain.Open(plan.place));
  }
  StepList steps;
  RunOptions recorded = options;
  recorded.steps = &steps;
  SY_RETURN_IF_ERROR(
      runner.Run(plan.body, std::move(inputs), recorded).status());
  if (chain.is_open()) SY_RETURN_IF_ERROR(chain.Wait());
  return steps;
}

}  // namespace switchyard::static_graph
