// SPDX-License-Identifier: Apache-2.0
// TryCandidates: the one loop over candidates. Select runs it with a recorder
// that does nothing, Explain with one that writes everything down; there is no
// second version that could drift. Private to phi/selection;
// phi/selection/candidate.h checks one candidate.
#ifndef SWITCHYARD_PHI_SELECTION_CANDIDATE_LOOP_H_
#define SWITCHYARD_PHI_SELECTION_CANDIDATE_LOOP_H_

#include <type_traits>

#include "absl/base/optimization.h"
#include "phi/core/library_asked.h"
#include "phi/selection/candidate.h"
#include "phi/selection/selection.h"

namespace switchyard::phi::selection {

// A recorder is called for each candidate in the order in which it is examined:
//   void Examined(const KernelDef& def, const Verdict& verdict, Role role);
// This one does nothing.
struct NullRecorder {
  void Examined(const KernelDef&, const Verdict&, Role) {}
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
bool TryCandidate(const KernelDef& def, const Query& query,
                  const Policy& policy, Role role, Recorder* recorder,
                  Selection* selection) {
  TensorLayouts layouts;
  const Verdict verdict = MatchKernel(def, query, policy, role, &layouts);
  recorder->Examined(def, verdict, role);
  if (verdict.truth == Tristate::kUndecided)
    selection->residual.push_back(&def);
  if (verdict.truth != Tristate::kTrue) return false;
  selection->kernel = &def;
  selection->fallback = role == Role::kFallback;
  if (verdict.transforms) {
    AppendTransforms(def, query, role, layouts, &selection->transforms,
                     &selection->output_transforms);
  }
  return true;
}

// Fills `selection` from the candidates of the key dtype: first those of the
// call's place; if none of them is certain, the CPU's: for a view operator its
// kernels (a fallback would make a view of a copy and lose writes through it),
// for others, if the policy allows it, all kernels as a fallback. `selection`
// has neither kernel nor residual if nothing fits. Preferred candidates come
// first, in both rounds.
template <typename Recorder>
void TryCandidates(absl::Span<const KernelDef* const> candidates,
                   const Query& query, const Policy& policy, Recorder* recorder,
                   Selection* selection) {
  if (ABSL_PREDICT_FALSE(policy.prefer != nullptr)) {
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
  if (query.place == Place::Cpu()) return;
  VisitInOrder(candidates, policy.prefer, [&](const KernelDef& def) {
    if (!Serves(def, Place::Cpu())) return false;
    const Role role = RoleOf(def, query);
    if (role == Role::kFallback && !policy.allow_fallback) return false;
    return TryCandidate(def, query, policy, role, recorder, selection);
  });
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
