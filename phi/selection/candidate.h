// SPDX-License-Identifier: Apache-2.0
// MatchKernel: may this one kernel serve this call? The verdict is data: which
// requirement decided it, for which tensor or condition. Select and Explain
// both use it (phi/selection/candidate_loop.h), so they can't disagree. The
// kernel's Conditions are evaluated in phi/selection/conditions.h.
#ifndef SWITCHYARD_PHI_SELECTION_CANDIDATE_H_
#define SWITCHYARD_PHI_SELECTION_CANDIDATE_H_

#include "phi/core/kernel_def.h"
#include "phi/selection/conditions.h"
#include "phi/selection/policy.h"
#include "phi/selection/transform.h"

namespace switchyard::phi::selection {

// The requirements, in the order in which they are checked.
enum class Requirement : uint8_t {
  kNone,             // Nothing is amiss.
  kDevice,           // The backend computes on the place.
  kAdmitted,         // The policy admits the backend.
  kListed,           // The policy's lists admit the operator.
  kLibrary,          // The call does not decline the backend's library.
  kOrigin,           // The policy admits the origin.
  kThreadInvariant,  // The policy asks for the same bits on any thread count.
  kKind,             // An input's kind.
  kOutputKind,       // An output's kind.
  kDtype,            // A tensor's dtype.
  kPlace,            // A tensor's place.
  kUntransformed,    // The policy forbids the transform that a tensor needs.
  kNotEmpty,         // Tensors have elements.
  kCondition,        // One of the kernel's Conditions.
  kLayout,           // The layouts that it would take and yield.
};

// The role in which a kernel may serve a call.
enum class Role : uint8_t {
  kOwn,       // One of the call's own place.
  kView,      // One of the CPU that makes views and nothing else: it touches no
              // element, so it serves any place, where its results stay.
  kFallback,  // One of the CPU, to which the call moves.
};

// Returns where a call runs with a kernel of this role.
inline Place RunPlace(const Query& query, Role role) {
  return role == Role::kFallback ? Place::Cpu() : query.place;
}

// The verdict on one kernel for one call. Numbers, not texts, since most of
// them are thrown away: Describe() makes a text of one.
struct Verdict {
  Tristate truth = Tristate::kTrue;
  Requirement requirement = Requirement::kNone;  // That is false, or undecided.
  uint16_t slot = 0;        // Its input (kOutputKind: its output),
  uint16_t condition = 0;   // or its condition's number.
  bool transforms = false;  // Some input or output needs a transform.
  bool layout = false;      // Some input has another layout than strided.
};

// Checks all requirements of `def` in this role. The first that is false
// decides; else the first undecided. Where that is none, and layouts matter, it
// fills `layouts`.
Verdict MatchKernel(const KernelDef& def, const Query& query,
                    const Policy& policy, Role role, TensorLayouts* layouts);

// Returns true if the kernel does nothing but give its results the buffers of
// its inputs: all results of the operator are views, and it allocates none.
bool MakesOnlyViews(const KernelDef& def, const OpInfo& op);

// Returns the decisive requirement in words. Requires a verdict that is not
// true.
Mismatch Describe(const Verdict& verdict, const KernelDef& def,
                  const Query& query, const Policy& policy, Role role);

// Appends the transforms that `def` needs on the inputs and outputs of a call
// that MatchKernel() accepted. `layouts` was filled by MatchKernel().
void AppendTransforms(const KernelDef& def, const Query& query, Role role,
                      const TensorLayouts& layouts, Transforms* inputs,
                      Transforms* outputs);

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_CANDIDATE_H_
