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
  kForm,             // The policy admits the form.
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

// The verdict on one kernel for one call.
struct Verdict {
  Tristate truth = Tristate::kTrue;
  Requirement requirement = Requirement::kNone;  // That is false, or undecided.
  uint16_t slot = 0;        // Its input (kOutputKind: its output),
  uint16_t condition = 0;   // or its condition's number.
  bool transforms = false;  // Some input or output needs a transform.
  bool layout = false;      // Some input has another layout than strided.
};

// Checks all requirements of `def` for a run at `run_place` (the call's place;
// the CPU for a fallback). The first that is false decides; else the first
// undecided. Where that is none, and layouts matter, it fills `layouts`.
Verdict MatchKernel(const KernelDef& def, const Query& query,
                    const Policy& policy, Place run_place,
                    TensorLayouts* layouts);

// Returns the decisive requirement in words. Requires a verdict that is not
// true.
Mismatch Describe(const Verdict& verdict, const KernelDef& def,
                  const Query& query, const Policy& policy, Place run_place);

// Appends the transforms that `def` needs on the inputs and outputs of a call
// that MatchKernel() let through. `layouts` are what that filled.
void AppendTransforms(const KernelDef& def, const Query& query, Place run_place,
                      const TensorLayouts& layouts, Transforms* inputs,
                      Transforms* outputs);

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_CANDIDATE_H_
