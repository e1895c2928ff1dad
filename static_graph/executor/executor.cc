// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/executor.h"

#include <optional>
#include <utility>

#include "absl/base/optimization.h"
#include "framework/device/cpu/float_control.h"
#include "static_graph/executor/frame/kept_elements.h"
#include "static_graph/executor/late_run.h"
#include "static_graph/executor/run_chain.h"
#include "static_graph/executor/run_frame.h"
#include "static_graph/executor/specialize/specialize.h"
#include "static_graph/executor/step_lister.h"

namespace switchyard::static_graph {
namespace {

// Runs, and puts the elements back that were replaced in states if that fails.
absl::Status RunKeeping(const Executor& executor,
                        absl::Span<const RunValue> feeds, State* state,
                        std::vector<RunValue>* fetches, RunOptions options) {
  KeptElements kept;
  options.kept = &kept;
  const absl::Status status = executor.Run(feeds, state, fetches, options);
  if (!status.ok()) kept.PutBack();
  return status;
}

}  // namespace

Executor::Executor(ProgramPlan plan)
    : plan_(std::move(plan)),
      late_(std::make_unique<LateRunner>(&plan_, &packed_)),
      check_(&plan_),
      cache_(&plan_) {}

absl::Status Executor::Run(absl::Span<const RunValue> feeds, State* state,
                           std::vector<RunValue>* fetches,
                           const RunOptions& options) const {
  if (ABSL_PREDICT_FALSE(plan_.replaces_elements && options.kept == nullptr)) {
    return RunKeeping(*this, feeds, state, fetches, options);
  }
  SY_RETURN_IF_ERROR(check_.Check(feeds));
  const DenormalsFlushed flushed(plan_.relaxed.denormals == Denormals::kFlush);
  std::unique_ptr<RunFrame> frame = cache_.TakeLast(feeds);
  if (frame == nullptr) {
    SY_ASSIGN_OR_RETURN(std::shared_ptr<RunSignature> signature,
                        cache_.Find(feeds, &frame));
    if (!signature->specialization->complete) {
      return RunLate(plan_, *late_, feeds, state, fetches, options);
    }
    if (frame == nullptr) {
      SY_ASSIGN_OR_RETURN(frame, cache_.MakeFrame(*signature));
    }
    frame->signature = std::move(signature);
  }
  SY_RETURN_IF_ERROR(BindStates(plan_, state, frame.get()));
  SY_RETURN_IF_ERROR(PrepareRun(plan_, packed_, feeds, options, frame.get()));
  fetches->clear();
  fetches->reserve(plan_.fetches.size());
  RunChain chain;
  if (ABSL_PREDICT_FALSE(plan_.place != Place::Cpu())) {
    SY_RETURN_IF_ERROR(chain.Open(plan_.place));
  }
  absl::Status status = frame->block->Run(options);
  if (chain.is_open() && status.ok() && !options.asynchronous) {
    status = chain.Wait();
  }
  if (ABSL_PREDICT_FALSE(!status.ok())) {
    if (!options.asynchronous) chain.Keep(frame->states);
    for (const ProgramPlan::Update& update : plan_.updates) {
      if (options.asynchronous) chain.Lose(frame->states[update.state]);
    }
    return status;
  }
  SY_RETURN_IF_ERROR(CommitRun(plan_, frame.get(), fetches));
  frame->block->tensors().Release();
  frame->states.clear();
  frame->copies.clear();
  cache_.Keep(std::move(frame));
  return absl::OkStatus();
}

absl::StatusOr<StepList> Executor::Steps(absl::Span<const Shape> feeds) const {
  SY_RETURN_IF_ERROR(check_.CheckShapes(feeds));
  bool known = true;
  for (size_t i = 0; i < feeds.size(); ++i) {
    // A program is not specialized for the length of an array.
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
  SY_RETURN_IF_ERROR(check_.CheckShapes(feeds));
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
  SY_RETURN_IF_ERROR(check_.Check(feeds));
  return StepsOfLateRun(plan_, *late_, feeds, state, options);
}

ExecutorCounts Executor::counts() const {
  ExecutorCounts counts = late_->counts();
  cache_.AddCounts(&counts);
  return counts;
}

}  // namespace switchyard::static_graph
