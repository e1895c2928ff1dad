// SPDX-License-Identifier: Apache-2.0
// Select: which kernel runs, for the eager and the static executor alike. A
// pure function of a row, a query and a policy: no global state, no flags, no
// hashing, no string look-up. Why it chose is in phi/selection/explain.h, which
// replays the same walk; conditions are evaluated in
// phi/selection/conditions.h.
//
// The walk, in the row's order of candidates for the key dtype (gpudnn, gpu,
// onednn, cpu, reference; phi before fluid): a candidate is refused by the
// first of these that fails: the policy (place's backends, form, thread
// invariance), kinds, dtypes and places of its ArgDefs, emptiness, its
// conditions.
// The first that none refuses wins. One whose conditions are undecided (a Dim
// is unknown) is kept as residual; the walk goes on to the first decided one.
#ifndef SWITCHYARD_PHI_SELECTION_SELECTION_H_
#define SWITCHYARD_PHI_SELECTION_SELECTION_H_

#include <string>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "phi/core/op_row.h"
#include "phi/selection/policy.h"
#include "phi/selection/query.h"
#include "phi/selection/transform.h"

namespace switchyard::phi::selection {

struct Selection {
  // The winner; null only if every remaining candidate is undecided.
  const KernelDef* kernel = nullptr;
  Transforms transforms;  // For `kernel`, in order.
  // Undecided candidates that outrank `kernel`, in order: to be asked again
  // once per shape signature (Resolve).
  absl::InlinedVector<const KernelDef*, 2> residual;
  // The kernel is not of the call's own place: the policy allowed the CPU.
  bool fallback = false;
};

// Errors begin with the operator's name. TypeError if the operator has kernels
// for the place, but none of the key dtype. NotFound with every candidate and
// the reason of its refusal if nothing else fits ("softmax: no kernel for
// ..."). A fallback under Policy::strict is FailedPrecondition.
absl::StatusOr<Selection> Select(const OpRow& row, const Query& query,
                                 const Policy& policy);

// The same into a Selection of the caller's, which is empty.
absl::Status SelectInto(const OpRow& row, const Query& query,
                        const Policy& policy, Selection* selection);

// Select over the residual list of an earlier Selection and its winner, now
// that `query` has known shapes: the same answer as Select(row, query, policy).
// Only the candidates that were asked again stand in the text of an error.
absl::StatusOr<Selection> Resolve(const Selection& earlier, const Query& query,
                                  const Policy& policy);

// The file that a kernel is written in; of a generated one, without the build's
// folder of outputs, so that it is the same in every configuration.
std::string_view SourceFile(const KernelDef& def);

// "onednn float32 (phi/kernels/onednn/softmax.cc:42)", "fluid cpu float32
// (...)": a kernel in messages and transcripts. A function that is not named as
// the operator, one of several, is named: "cpu float32 sgd_selected_rows
// (...)".
std::string KernelText(const KernelDef& def);

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_SELECTION_H_
