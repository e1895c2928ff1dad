// SPDX-License-Identifier: Apache-2.0
#include "static_graph/program/executable.h"

#include <utility>

#include "absl/base/optimization.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "static_graph/executor/plan_builder.h"
#include "static_graph/ir/printer.h"
#include "static_graph/ir/verifier.h"
#include "static_graph/lowering/arithmetic.h"
#include "static_graph/lowering/assign_layouts.h"
#include "static_graph/pass/pass_manager.h"
#include "static_graph/passes/dead_code_elimination.h"
#include "static_graph/passes/inplace.h"

namespace switchyard::static_graph {
namespace {

absl::StatusOr<ir::Program> LowerChecked(const ir::Program& graph,
                                         const phi::KernelTable& table,
                                         const CompileOptions& options) {
  SY_RETURN_IF_ERROR(
      CheckArithmetic(options.lowering.relaxed, options.lowering.place));
  if (options.verify) SY_RETURN_IF_ERROR(ir::Verify(graph));
  // A value without uses (a gradient that nothing fetches) needs no kernel.
  // A sound program without dead code is sound.
  ir::Program lowered = graph.Clone();
  SY_RETURN_IF_ERROR(DeadCodeElimination().Run(lowered).status());
  SY_RETURN_IF_ERROR(LowerInPlace(&lowered, table, options.lowering));
  if (options.assign_layouts) {
    SY_RETURN_IF_ERROR(
        AssignLayouts(&lowered, table, options.lowering).status());
  }
  // Verifies once: what was lowered, after all passes.
  PassManagerOptions exact;
  exact.exactness = Exactness::kExact;
  exact.verify_before = false;
  exact.verify_each = false;
  PassManager passes(exact);
  SY_RETURN_IF_ERROR(passes.Add(std::make_unique<DeadCodeElimination>()));
  if (options.reuse_memory_in_place) {
    SY_RETURN_IF_ERROR(passes.Add(std::make_unique<Inplace>()));
  }
  SY_RETURN_IF_ERROR(passes.Run(lowered).status());
  return lowered;
}

std::string NamesOf(const std::vector<ProgramPlan::Port>& ports) {
  if (ports.empty()) return "no feeds at all";
  std::string names;
  for (const ProgramPlan::Port& port : ports) {
    absl::StrAppend(&names, names.empty() ? "one of " : ", ", port.name);
  }
  return names;
}

}  // namespace

Executable::Executable(std::string name, std::string lowered_text,
                       ProgramPlan plan, const phi::KernelTable& table)
    : name_(std::move(name)),
      table_(table),
      lowered_text_(std::move(lowered_text)),
      executor_(std::move(plan)) {
  for (const ProgramPlan::Port& port : feeds()) {
    feed_numbers_.emplace(port.name, feed_numbers_.size());
  }
}

absl::StatusOr<std::shared_ptr<const Executable>> Executable::Compile(
    const ir::Program& graph, const phi::KernelTable& table,
    const CompileOptions& options) {
  const absl::StatusOr<ir::Program> lowered =
      LowerChecked(graph, table, options);
  if (!lowered.ok()) return Annotate(lowered.status(), graph.name());
  absl::StatusOr<ProgramPlan> plan =
      BuildPlan(*lowered, table, options.lowering);
  if (!plan.ok()) return Annotate(plan.status(), graph.name());
  std::string text;
  if (options.keep_text) text = ir::Print(*lowered);
  return std::shared_ptr<const Executable>(new Executable(
      std::string(graph.name()), std::move(text), *std::move(plan), table));
}

absl::Status Executable::CheckFeed(std::string_view name) const {
  if (feed_numbers_.find(name) != feed_numbers_.end()) return absl::OkStatus();
  return Annotate(ArgumentError("feed", NamesOf(feeds()), name), name_);
}

absl::Status Executable::SortFeeds(absl::Span<const Feed> feeds,
                                   absl::Span<RunValue> tensors) const {
  const std::vector<ProgramPlan::Port>& ports = this->feeds();
  absl::InlinedVector<bool, 16> given(ports.size(), false);
  size_t next = 0;
  for (const Feed& feed : feeds) {
    // Mostly they are in the program's order.
    size_t port = next++;
    if (port >= ports.size() || ports[port].name != feed.name) {
      const auto number = feed_numbers_.find(feed.name);
      if (number == feed_numbers_.end()) return CheckFeed(feed.name);
      port = number->second;
    }
    if (given[port]) {
      return Annotate(ArgumentError(absl::StrCat("feed ", ports[port].name),
                                    "given once", "two tensors"),
                      name_);
    }
    given[port] = true;
    tensors[port].dense = feed.tensor;
    tensors[port].other = feed.other;
  }
  for (size_t port = 0; port < ports.size(); ++port) {
    if (given[port]) continue;
    return Annotate(ArgumentError(absl::StrCat("feed ", ports[port].name),
                                  "given", "no tensor"),
                    name_);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Fetch>> Executable::Run(
    absl::Span<const Feed> feeds, State* state,
    const RunOptions& options) const {
  // Few programs have more feeds: a call takes no memory for its own sake.
  absl::InlinedVector<RunValue, 4> tensors(this->feeds().size());
  SY_RETURN_IF_ERROR(SortFeeds(feeds, absl::MakeSpan(tensors)));
  // Before the run, so that nothing fails once the state is updated.
  std::vector<Fetch> fetched;
  fetched.reserve(fetches().size());
  for (const ProgramPlan::Port& port : fetches()) {
    fetched.emplace_back().name = port.name;
  }
  std::vector<RunValue> values;
  SY_RETURN_IF_ERROR(RunInOrder(tensors, state, &values, options));
  for (size_t i = 0; i < values.size(); ++i) {
    fetched[i].tensor = std::move(values[i].dense);
    fetched[i].other = std::move(values[i].other);
  }
  return fetched;
}

absl::Status Executable::RunInOrder(absl::Span<const RunValue> feeds,
                                    State* state,
                                    std::vector<RunValue>* fetches,
                                    const RunOptions& options) const {
  absl::Status status = executor_.Run(feeds, state, fetches, options);
  if (ABSL_PREDICT_TRUE(status.ok())) return status;
  return Annotate(status, name_);
}

absl::StatusOr<StepList> Executable::Steps(
    absl::Span<const Shape> feeds) const {
  absl::StatusOr<StepList> steps = executor_.Steps(feeds);
  if (!steps.ok()) return Annotate(steps.status(), name_);
  return steps;
}

absl::StatusOr<std::optional<PlannedMemory>> Executable::Memory(
    absl::Span<const Shape> feeds) const {
  absl::StatusOr<std::optional<PlannedMemory>> memory = executor_.Memory(feeds);
  if (!memory.ok()) return Annotate(memory.status(), name_);
  return memory;
}

absl::StatusOr<StepList> Executable::StepsOfRun(
    absl::Span<const Feed> feeds, const State* state,
    const RunOptions& options) const {
  std::vector<RunValue> tensors(this->feeds().size());
  SY_RETURN_IF_ERROR(SortFeeds(feeds, absl::MakeSpan(tensors)));
  absl::StatusOr<StepList> steps =
      executor_.StepsOfRun(tensors, state, options);
  if (!steps.ok()) return Annotate(steps.status(), name_);
  return steps;
}

absl::StatusOr<std::string> Executable::Explain(absl::Span<const Shape> feeds,
                                                ExplanationForm form) const {
  SY_ASSIGN_OR_RETURN(const StepList steps, Steps(feeds));
  return TextOf(steps, form);
}

std::string Executable::TextOf(const StepList& steps,
                               ExplanationForm form) const {
  return static_graph::TextOf(steps, executor_.plan(), form);
}

absl::StatusOr<KernelLock> Executable::Kernels() const {
  std::vector<Shape> shapes;
  for (const ProgramPlan::Port& feed : feeds()) {
    shapes.push_back(feed.meta.shape);
  }
  SY_ASSIGN_OR_RETURN(const StepList steps, Steps(shapes));
  return LockOf(steps);
}

absl::StatusOr<std::vector<std::string>> Executable::Transcript(
    absl::Span<const Shape> feeds) const {
  SY_ASSIGN_OR_RETURN(const StepList steps, Steps(feeds));
  return TranscriptOf(steps);
}

}  // namespace switchyard::static_graph
