// SPDX-License-Identifier: Apache-2.0
// Explain: why selection chose a kernel, or could not choose one. One line per
// choice of a running program is phi/selection/transcript.h.
#ifndef SWITCHYARD_PHI_SELECTION_EXPLAIN_H_
#define SWITCHYARD_PHI_SELECTION_EXPLAIN_H_

#include <string>
#include <vector>

#include "framework/types/tensor_spec.h"
#include "phi/selection/candidate.h"
#include "phi/selection/conditions.h"
#include "phi/selection/selection.h"

namespace switchyard::phi::selection {

// The whole course of a selection: every candidate with its verdict, and the
// answer. Explain() runs the loop of Select itself
// (phi/selection/candidate_loop.h), writing everything down, so the two can't
// disagree. An operator without kernels is explained by the calls that its
// composite makes, which tools/explain/explained_call.h expands.
struct Explanation {
  enum class Outcome : uint8_t {
    kChosen,
    kRefused,    // `mismatch` is the first requirement that is not met.
    kUndecided,  // `mismatch` hangs on an unknown Dim.
    kNotAsked,   // Comes after the winner.
  };
  struct Candidate {
    const KernelDef* kernel;  // Null: the composite that ends the row.
    Role role;                // In which it is examined.
    Outcome outcome;
    Mismatch mismatch;
  };

  Query query;
  Policy policy;
  // The dtype that phi/promotion cast inputs to before the query was made;
  // kUndefined if it cast none. Selection does not read it; set by the caller
  // that promoted.
  DataType promoted = DataType::kUndefined;
  // In the order in which they are examined; a kernel of the CPU stands here
  // twice if it is examined again, to make a view or as a fallback.
  std::vector<Candidate> candidates;
  // The answer of Select: the winner, its transforms and the residual list; or
  // why there is none. For a composed call: an empty Selection, or the first
  // error of `calls`.
  absl::StatusOr<Selection> answer;
  // The kernel that would have been chosen without the policy's preferences;
  // null unless they decided.
  const KernelDef* passed_over = nullptr;
  // Those of the answer's transforms, each `contiguous`, that a view needs
  // unless its extents turn out to be such that it has no gaps. Set by the
  // caller that follows views.
  Transforms undecided;
  // True if no output has elements: the kernel that is chosen is not launched
  // (IsIdle). Set by the caller that inferred the outputs.
  bool idle = false;
  // True if the operator runs as `calls`, in this order, most often since it
  // has no kernels. Then `query` needs no key dtype, and the candidates end
  // with the composite: most often there are none. Set by the caller, which has
  // the composite (then `answer` says that it won).
  bool composed = false;
  std::vector<Explanation> calls;
  // True if it is composed although it has kernels, since the policy prefers
  // that.
  bool composed_by_preference = false;
};

// Explains the selection for `query`. The explanation borrows the same objects
// as `query`.
Explanation Explain(const OpKernels& op_kernels, const Query& query,
                    const Policy& policy);

// Returns true if there is nothing to launch a kernel for. `outputs` are by
// slot, without dtype where not wanted.
bool IsIdle(const Explanation& explanation,
            absl::Span<const TensorSpec> outputs, const ArgSegments& segments);

// Returns the line that says of a transform that it is undecided.
std::string UndecidedText(const Query& query, const Transform& transform);

// Return some lines for people, and the same facts as JSON (two spaces an
// indent, keys in a fixed order); both end with a line break.
std::string ToText(const Explanation& explanation);
std::string ToJson(const Explanation& explanation);

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_EXPLAIN_H_
