// SPDX-License-Identifier: Apache-2.0
// Executable: a program that is ready to run. Files of programs are
// saved_program.h; the IR's own Program, which can be changed, is
// static_graph/ir/program.h.
#ifndef SWITCHYARD_STATIC_GRAPH_PROGRAM_EXECUTABLE_H_
#define SWITCHYARD_STATIC_GRAPH_PROGRAM_EXECUTABLE_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/hash_map.h"
#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_table.h"
#include "static_graph/executor/executor.h"
#include "static_graph/executor/planned_memory.h"
#include "static_graph/executor/run_options.h"
#include "static_graph/executor/run_value.h"
#include "static_graph/executor/state.h"
#include "static_graph/executor/step_list.h"
#include "static_graph/executor/step_list_text.h"
#include "static_graph/ir/program.h"
#include "static_graph/lowering/lower.h"
#include "static_graph/program/kernel_lock.h"

namespace switchyard::static_graph {

// A tensor for a feed, by name. `other` stands for `tensor` where it is not
// dense; it is shared, and nobody writes it.
struct Feed {
  std::string_view name;
  DenseTensor tensor;
  std::shared_ptr<const TensorBase> other = nullptr;
};

// A fetched tensor, by name: `other` if it is not dense.
struct Fetch {
  std::string name;
  DenseTensor tensor;
  std::shared_ptr<const TensorBase> other = nullptr;
};

// The options of Executable::Compile().
struct CompileOptions {
  LoweringOptions lowering;
  // Values stay in the layouts that kernels chose (exact: the same kernels, the
  // same bits). Off to look at the effect.
  bool assign_layouts = true;
  // Verifies the graph first. Off for one that Optimize() or BringToValueForm()
  // has left, which verify it (pipeline.h).
  bool verify = true;
  // lowered_text() is kept, some 260 bytes for each operation.
  bool keep_text = true;
  // Results may take the memory of operands that die there (exact: the same
  // bits). Off to look at the effect.
  bool reuse_memory_in_place = true;
};

// A program that is ready to run: what was built in the IR, lowered for the
// kernels of a table. It is immutable, thread-safe and shared freely; what
// changes from run to run is apart, in State (static_graph/executor/state.h).
//
//   SY_ASSIGN_OR_RETURN(auto program, Executable::Compile(graph, table));
//   SY_ASSIGN_OR_RETURN(auto fetches,
//                       program->Run({{"image", image}}, &state));
class Executable {
 public:
  // Verifies `graph`, of the dialect `op`, unless the options say that it is
  // sound, and lowers it; `graph` stays as it
  // is. Nothing of it or its context is needed afterwards, but `table` outlives
  // the program. Adds to the context, so one thread at a time for each context.
  // Errors name the program.
  static absl::StatusOr<std::shared_ptr<const Executable>> Compile(
      const ir::Program& graph, const phi::KernelTable& table,
      const CompileOptions& options = {});

  // Runs once; the rules for `state` are Executor::Run's. Feeds in any order,
  // each once; fetches in the order of fetches(). ArgumentError for a feed that
  // is missing, unknown or there twice; further as Executor::Run. All errors
  // name the program, `options.check`'s too.
  absl::StatusOr<std::vector<Fetch>> Run(absl::Span<const Feed> feeds,
                                         State* state = nullptr,
                                         const RunOptions& options = {}) const;

  // Runs once without names: `feeds` and `fetches` are in the order of feeds()
  // and fetches().
  absl::Status RunInOrder(absl::Span<const RunValue> feeds, State* state,
                          std::vector<RunValue>* fetches,
                          const RunOptions& options = {}) const;

  // InvalidArgument, which lists them, unless the program has a feed of this
  // name.
  absl::Status CheckFeed(std::string_view name) const;

  const std::string& name() const { return name_; }
  // Names and types, in the program's order.
  const std::vector<ProgramPlan::Port>& feeds() const {
    return executor_.plan().feeds;
  }
  const std::vector<ProgramPlan::Port>& states() const {
    return executor_.plan().states;
  }
  const std::vector<ProgramPlan::Port>& fetches() const {
    return executor_.plan().fetches;
  }

  // Returns what a run does with feeds of these shapes, which need not be
  // known: Executor::Steps().
  absl::StatusOr<StepList> Steps(absl::Span<const Shape> feeds) const;
  // Returns the memory that such a run plans: Executor::Memory().
  absl::StatusOr<std::optional<PlannedMemory>> Memory(
      absl::Span<const Shape> feeds) const;
  // Returns those of a run with these feeds, by name, wherever shapes depend on
  // elements. Runs for it; `state` stays as it is.
  absl::StatusOr<StepList> StepsOfRun(absl::Span<const Feed> feeds,
                                      const State* state = nullptr,
                                      const RunOptions& options = {}) const;
  // Says of the same steps why each call has the kernel that it has, or may
  // have while extents are unknown: static_graph/executor/step_list_text.h.
  absl::StatusOr<std::string> Explain(
      absl::Span<const Shape> feeds,
      ExplanationForm form = ExplanationForm::kText) const;
  std::string TextOf(const StepList& steps, ExplanationForm form) const;
  // Returns them as lines: TranscriptOf().
  absl::StatusOr<std::vector<std::string>> Transcript(
      absl::Span<const Shape> feeds) const;
  // Returns the table that it was compiled for.
  const phi::KernelTable& kernel_table() const { return table_; }
  // Returns which kernel each call has, or may have while extents are unknown.
  absl::StatusOr<KernelLock> Kernels() const;
  // Returns the lowered program as text; empty unless the options keep it.
  const std::string& lowered_text() const { return lowered_text_; }
  ExecutorCounts counts() const { return executor_.counts(); }

 private:
  Executable(std::string name, std::string lowered_text, ProgramPlan plan,
             const phi::KernelTable& table);

  // Sorts `feeds` into the program's order, in `tensors`, which has its size.
  absl::Status SortFeeds(absl::Span<const Feed> feeds,
                         absl::Span<RunValue> tensors) const;

  std::string name_;
  const phi::KernelTable& table_;
  std::string lowered_text_;
  Executor executor_;
  HashMap<std::string_view, size_t> feed_numbers_;  // By name.
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PROGRAM_EXECUTABLE_H_
