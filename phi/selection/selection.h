// SPDX-License-Identifier: Apache-2.0
// Select: which kernel runs, for the eager and the static executor alike.
// Conditions are evaluated in phi/selection/conditions.h.
#ifndef SWITCHYARD_PHI_SELECTION_SELECTION_H_
#define SWITCHYARD_PHI_SELECTION_SELECTION_H_

#include <string>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "phi/core/kernel_table.h"
#include "phi/selection/policy.h"
#include "phi/selection/query.h"
#include "phi/selection/transform.h"

namespace switchyard::phi::selection {

// The answer of Select(). Borrows the operator's KernelDefs.
struct Selection {
  // The winner; null only if every remaining candidate is undecided, or if the
  // composite won.
  const KernelDef* kernel = nullptr;
  Transforms transforms;  // Those of the inputs of `kernel`, in order.
  // The outputs that it yields in another layout than strided, by slot: each
  // is reordered after it.
  Transforms output_transforms;
  // Undecided candidates that outrank `kernel`, in order: to be examined
  // again once per shape signature (Resolve).
  absl::InlinedVector<const KernelDef*, 2> residual;
  // The kernel is not of the call's own place: the policy allowed the CPU.
  bool fallback = false;
  // The winner is what the operator is composed of (Query::composes): then
  // there is neither kernel nor residual.
  bool composed = false;
};

// Selects a kernel: a pure function of an operator's kernels, a query and a
// policy. No global state, no flags, no hashing, no string look-up.
// phi/selection/explain.h replays the same loop and gives the reasons.
//
// The loop, in the order of the candidates for the key dtype (backends by rank:
// of ours gpudnn, gpu, onednn, cpu, reference; phi before fluid), those that
// the policy prefers before the others (phi/selection/preferences.h): a
// candidate is refused by the first of these that fails: the backend's device,
// the policy (backends, origin, thread invariance), kinds, dtypes and places of
// its inputs' ArgDefs, kinds of its outputs', emptiness, its conditions. The
// first that nothing refuses wins. One whose conditions are undecided (a Dim is
// unknown) is kept as residual; the loop goes on to the first decided one.
// Where a device has no kernel that fits, the CPU's kernels of a view operator
// serve it, since they move no element; those of other operators only as a
// fallback that the policy allows.
//
// Between those two the row's composite is asked, where the query says that it
// may answer (phi/selection/composite.h): it would move tensors that its parts
// need not move. A policy may prefer it to all kernels. It comes after the
// fallback where the parts are not all served on the device: then it answers
// what nothing else does.
//
// Errors begin with the operator's name. TypeError if the operator has kernels
// for the place, but none of the key dtype. NotFound with every candidate and
// the reason of its refusal if nothing else fits ("softmax: no kernel for
// ..."). A fallback under Policy::strict is FailedPrecondition.
absl::StatusOr<Selection> Select(const OpKernels& op_kernels,
                                 const Query& query, const Policy& policy);

// Does what Select() does, into an empty Selection of the caller's.
absl::Status SelectInto(const OpKernels& op_kernels, const Query& query,
                        const Policy& policy, Selection* selection);

// Selects from the residual list of an earlier Selection and its winner, now
// that `query` has known shapes. Returns what Select() would return with
// `query` and `policy`. The text of an error lists only the candidates that
// were examined again.
absl::StatusOr<Selection> Resolve(const Selection& earlier, const Query& query,
                                  const Policy& policy);

// Returns the file that a kernel is written in. The name of a generated file
// lacks the build's folder of outputs, so that it is the same in every
// configuration.
std::string_view SourceFile(const KernelDef& def);

// Returns the name of a kernel in messages and transcripts: "onednn float32
// (phi/kernels/onednn/pooling.cc:42)", "fluid cpu float32 (...)". Where an
// operator has several functions, one that is not named as the operator is
// named: "cpu float32 sgd_selected_rows (...)".
std::string KernelText(const KernelDef& def);

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_SELECTION_H_
