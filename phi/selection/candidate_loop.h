// SPDX-License-Identifier: Apache-2.0
// TryCandidates: the one loop over candidates. Select runs it with a recorder
// that does nothing, Explain with one that writes everything down; there is no
// second version that could drift. Private to phi/selection;
// phi/selection/candidate.h checks one candidate.
#ifndef SWITCHYARD_PHI_SELECTION_CANDIDATE_LOOP_H_
#define SWITCHYARD_PHI_SELECTION_CANDIDATE_LOOP_H_

#include <type_traits>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "phi/core/library_asked.h"
#include "phi/selection/candidate.h"
#include "phi/selection/composite.h"
#include "phi/selection/selection.h"

namespace switchyard::phi::selection {

// A recorder is called for each candidate in the order in which it is examined:
//   void Examined(const KernelDef& def, const Verdict& verdict, Role role);
//   void ExaminedComposite(CompositeRequirement unmet);  // kNone: it won.
// This one does nothing.
struct NullRecorder {
  void Examined(const KernelDef&, const Verdict&, Role) {}
  void ExaminedComposite(CompositeRequirement) {}
};

// Returns true if the kernel's backend serves `place`.
inline bool Serves(const KernelDef& def, Place place) {
  return def.key.backend->device == FindDevice(place.type);
}

// Returns the role that the kernel would have in a call.
inline Role RoleOf(const KernelDef& def, const Query& query) {
  if (Serves(def, query.place)) return Role::kOwn;
  return MakesOnlyViews(def, *query.op) ? Role::kView : Role::kFallback;
}

// Returns true if the kernel serves calls that ask for its library alone, and
// this one does not.
inline bool IsForCallsThatAsk(const KernelDef& def, const Policy& policy) {
  return !def.conditions.empty() && IsLibraryAsked(def.conditions.front()) &&
         !policy.requested.contains(*def.key.backend);
}

// Examines one candidate and files it. Returns true if it is the winner.
template <typename Recorder>
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool TryCandidate(
    const KernelDef& def, const Query& query, const Policy& policy, Role role,
    Recorder* recorder, Selection* selection) {
  TensorLayouts layouts;
  const Verdict verdict = MatchKernel(def, query, policy, role, &layouts);
  recorder->Examined(def, verdict, role);
  if (verdict.truth == Tristate::kUndecided)
    selection->residual.push_back(&def);
  if (verdict.truth != Tristate::kTrue) return false;
  selection->kernel = &def;
  if (role == Role::kFallback) selection->fallback = true;
  if (verdict.transforms) {
    AppendTransforms(def, query, role, layouts, &selection->transforms,
                     &selection->output_transforms);
  }
  return true;
}

// Examines the candidates of the CPU in one of the roles that they have on
// another place. Returns true if one won.
template <typename Recorder>
bool TryOnCpu(absl::Span<const KernelDef* const> candidates, const Query& query,
              const Policy& policy, Role wanted, Recorder* recorder,
              Selection* selection) {
  return VisitInOrder(candidates, policy.prefer, [&](const KernelDef& def) {
    return Serves(def, Place::Cpu()) && RoleOf(def, query) == wanted &&
           TryCandidate(def, query, policy, wanted, recorder, selection);
  });
}

// Files the verdict on the composite that ends the row. Returns true if it won.
template <typename Recorder>
bool TryComposite(CompositeRequirement unmet, Recorder* recorder,
                  Selection* selection) {
  recorder->ExaminedComposite(unmet);
  if (unmet != CompositeRequirement::kNone) return false;
  selection->composed = true;
  selection->residual.clear();
  return true;
}

// Goes on where none of the kernels of the call's place is certain: the CPU's
// kernels of a view operator (a fallback would make a view of a copy and lose
// writes through it), the composite, and, if the policy allows it, all of the
// CPU as a fallback.
template <typename Recorder>
ABSL_ATTRIBUTE_NOINLINE void TryAfterOwn(const OpKernels& op_kernels,
                                         const Query& query,
                                         const Policy& policy,
                                         Recorder* recorder,
                                         Selection* selection) {
  const auto candidates = op_kernels.candidates(query.dtype);
  const bool elsewhere = query.place != Place::Cpu();
  const CompositeDef* const composite = CompositeOf(op_kernels, query);
  if (elsewhere &&
      TryOnCpu(candidates, query, policy, Role::kView, recorder, selection)) {
    return;
  }
  CompositeRequirement unmet = CompositeRequirement::kNone;
  if (composite != nullptr) {
    unmet = MatchComposite(op_kernels, query, policy,
                           /*undecided=*/!selection->residual.empty());
    if (TryComposite(unmet, recorder, selection)) return;
  }
  if (elsewhere && policy.allow_fallback &&
      TryOnCpu(candidates, query, policy, Role::kFallback, recorder,
               selection)) {
    return;
  }
  // Its parts may fall back one by one where nothing else answers. A kernel of
  // the entry that is undecided may.
  if (composite == nullptr) return;
  const bool last =
      unmet > CompositeRequirement::kDecided && selection->residual.empty();
  if (composite->alone || last) {
    TryComposite(CompositeRequirement::kNone, recorder, selection);
  }
}

// Fills `selection` from the row: the candidates of the key dtype that are of
// the call's place, then those of TryAfterOwn(). `selection` has neither kernel
// nor residual nor composite if nothing fits. Preferred candidates come first,
// in each round.
template <typename Recorder>
void TryCandidates(const OpKernels& op_kernels, const Query& query,
                   const Policy& policy, Recorder* recorder,
                   Selection* selection) {
  const auto candidates = op_kernels.candidates(query.dtype);
  if (ABSL_PREDICT_FALSE(policy.prefer != nullptr)) {
    if (query.composes && PrefersComposite(op_kernels, policy)) {
      selection->composed = true;
      return;
    }
    const auto own = [&](const KernelDef& def) {
      return TryCandidate(def, query, policy, Role::kOwn, recorder, selection);
    };
    if (VisitInOrder(candidates, policy.prefer, own)) return;
  } else {
    for (const KernelDef* def : candidates) {
      // MatchKernel refuses it, too, after more than one look.
      if (std::is_same_v<Recorder, NullRecorder> &&
          IsForCallsThatAsk(*def, policy)) {
        continue;
      }
      if (TryCandidate(*def, query, policy, Role::kOwn, recorder, selection))
        return;
    }
  }
  TryAfterOwn(op_kernels, query, policy, recorder, selection);
}

// Tries the remains of an earlier loop: its undecided candidates, then its
// winner. Each is examined in the role in which the earlier loop examined it.
template <typename Recorder>
void TryCandidatesAgain(const Selection& earlier, const Query& query,
                        const Policy& policy, Recorder* recorder,
                        Selection* selection) {
  for (const KernelDef* def : earlier.residual) {
    if (TryCandidate(*def, query, policy, RoleOf(*def, query), recorder,
                     selection))
      return;
  }
  if (earlier.kernel == nullptr) return;
  TryCandidate(*earlier.kernel, query, policy, RoleOf(*earlier.kernel, query),
               recorder, selection);
}

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_CANDIDATE_LOOP_H_
