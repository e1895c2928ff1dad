// SPDX-License-Identifier: Apache-2.0
// StepList: what a program does, as a value: its calls in order, the kernel of
// each and the transforms around it. Once shapes are known it is written down
// by what makes the steps of a run (specialize_block.h), so it is what runs;
// before, by step_lister.h, and then it says of each call whether it may still
// change. What people read is made of it: explanations (step_list_text.h),
// selections, and the lock of a file.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_STEP_LIST_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_STEP_LIST_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "framework/types/attribute.h"
#include "framework/types/tensor_spec.h"
#include "phi/core/kernel_table.h"
#include "phi/selection/selection.h"
#include "static_graph/executor/instruction_query.h"
#include "static_graph/executor/plan.h"

namespace switchyard::static_graph {

// A transform of an input or a result of a call, or a copy of a tensor that the
// call overwrites.
struct ListedTransform {
  StepRole role = StepRole::kInput;
  // Its slot is one of the call's inputs, or of its results. Of a reordered
  // result, the layout that it had.
  phi::selection::Transform transform = {};
  const phi::KernelDef* kernel = nullptr;
  Place place;                   // Where it runs.
  std::optional<int64_t> bytes;  // That it writes; nothing if not known.
  std::optional<bool> kept;      // See ListedCall.
  bool launched = true;          // False if there are no elements.
};

struct StepList;

// A call of an operator, or control flow with its blocks.
struct ListedCall {
  ListedCall() = default;
  ListedCall(ListedCall&&) = default;
  ListedCall& operator=(ListedCall&&) = default;

  const Instruction* instruction = nullptr;
  // Its kernel is chosen by these: its inputs before their transforms, strided,
  // and what InferMeta says of its results.
  std::vector<std::optional<TensorMeta>> inputs;  // Nothing where absent.
  std::vector<TensorSpec> outputs;
  std::vector<Attribute> attributes;
  std::vector<AttrRef> attrs;  // Of `attributes`; or supplied, not known yet.
  // The answer. Its transforms are the ones that run and are listed below; for
  // a call that is open, the ones that it would need by itself.
  phi::selection::Selection selection;
  absl::Status refusal;  // Why there is no answer.
  std::vector<ListedTransform> transforms;
  bool launched = true;  // False if no result has elements.
  // Whether it follows from constants and from states that are not written, and
  // is not computed again until one of these is. Nothing where only a run
  // tells.
  std::optional<bool> kept;
  // Names the first of the calls that are one step with this one, done block by
  // block (chains/elementwise_chain.h). Null if there are no others.
  const Instruction* chain = nullptr;
  // The inputs of a concatenation that are written where they go in its result,
  // so that they are not copied.
  std::vector<int> in_place;
  // Says in words what the answer depends on as long as that is not known;
  // empty if the answer is final.
  std::vector<std::string> open;
  // Those of its transforms, each `contiguous`, that a view may not need.
  phi::selection::Transforms undecided;
  std::vector<StepList> blocks;  // kIf: then, else. kWhile: condition, body.
  // The number of each of `blocks`, in the order in which a run entered them
  // one by one. Empty where each block is listed once.
  std::vector<int> entered;
};

// The calls of a block, in order. Borrows the plan.
struct StepList {
  std::vector<ListedCall> calls;
  // Transforms of calls that are in another part of the block than this list.
  struct Elsewhere {
    const Instruction* call;
    ListedTransform transform;
  };
  std::vector<Elsewhere> elsewhere;

  // Adds the calls of the next part.
  void Append(StepList next);

  // Returns true if runs with these shapes do just this: no answer is open, and
  // none waits for what a run by segments finds out. In blocks neither.
  bool final() const;
};

// The query about a call, and the lists that it refers to.
class ListedQuery {
 public:
  // Borrows `call`.
  explicit ListedQuery(const ListedCall& call);

  const phi::selection::Query& get() const { return query_->get(); }

 private:
  std::unique_ptr<const InstructionQuery> query_;
};

// Sets attributes and attrs to those in `attrs`.
void SetAttributes(absl::Span<const AttrRef> attrs, ListedCall* call);

// Puts the transforms of a call that is final into its answer.
void SetTransforms(ListedCall* call);

// Returns "x", "parts[1]", "out": the input or result of `call`. "" for a step
// that is the call.
std::string ArgumentOf(const Instruction& call, StepRole role, int slot);

// Returns the calls as lines, each of phi/selection/transcript.h; one that is
// open names all kernels that it may have and says what that depends on.
std::vector<std::string> TranscriptOf(const StepList& list);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_STEP_LIST_H_
