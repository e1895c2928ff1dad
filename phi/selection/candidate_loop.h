// SPDX-License-Identifier: Apache-2.0
// TryCandidates: the one loop over candidates. Select runs it with a recorder
// that does nothing, Explain with one that writes everything down; there is no
// second version that could drift. Private to phi/selection;
// phi/selection/candidate.h checks one candidate.
#ifndef SWITCHYARD_PHI_SELECTION_CANDIDATE_LOOP_H_
#define SWITCHYARD_PHI_SELECTION_CANDIDATE_LOOP_H_

#include "phi/selection/candidate.h"
#include "phi/selection/selection.h"

namespace switchyard::phi::selection {

// A recorder is called for each candidate in the order in which it is examined:
//   void Examined(const KernelDef& def, const Verdict& verdict, Place
//   run_place);
// This one does nothing.
struct NullRecorder {
  void Examined(const KernelDef&, const Verdict&, Place) {}
};

// Returns true if the kernel's backend serves `place`.
inline bool Serves(const KernelDef& def, Place place) {
  return def.key.backend->device == FindDevice(place.type);
}

// Examines one candidate and files it. Returns true if it is the winner.
template <typename Recorder>
bool TryCandidate(const KernelDef& def, const Query& query,
                  const Policy& policy, Place run_place, Recorder* recorder,
                  Selection* selection) {
  TensorLayouts layouts;
  const Verdict verdict = MatchKernel(def, query, policy, run_place, &layouts);
  recorder->Examined(def, verdict, run_place);
  if (verdict.truth == Tristate::kUndecided)
    selection->residual.push_back(&def);
  if (verdict.truth != Tristate::kTrue) return false;
  selection->kernel = &def;
  selection->fallback = run_place != query.place;
  if (verdict.transforms) {
    AppendTransforms(def, query, run_place, layouts, &selection->transforms,
                     &selection->output_transforms);
  }
  return true;
}

// Fills `selection` from the candidates of the key dtype: first those of the
// call's place; if none of them is certain and the policy allows it, those of
// the CPU. `selection` has neither kernel nor residual if nothing fits.
template <typename Recorder>
void TryCandidates(absl::Span<const KernelDef* const> candidates,
                   const Query& query, const Policy& policy, Recorder* recorder,
                   Selection* selection) {
  for (const KernelDef* def : candidates) {
    if (TryCandidate(*def, query, policy, query.place, recorder, selection))
      return;
  }
  if (!policy.allow_fallback || query.place == Place::Cpu()) return;
  for (const KernelDef* def : candidates) {
    if (!Serves(*def, Place::Cpu())) continue;
    if (TryCandidate(*def, query, policy, Place::Cpu(), recorder, selection))
      return;
  }
}

// Tries what an earlier loop left: its undecided candidates, then its
// winner. Each is examined for the place for which the earlier loop examined
// it.
template <typename Recorder>
void TryCandidatesAgain(const Selection& earlier, const Query& query,
                        const Policy& policy, Recorder* recorder,
                        Selection* selection) {
  const auto run_place = [&query](const KernelDef& def) {
    return Serves(def, query.place) ? query.place : Place::Cpu();
  };
  for (const KernelDef* def : earlier.residual) {
    if (TryCandidate(*def, query, policy, run_place(*def), recorder, selection))
      return;
  }
  if (earlier.kernel == nullptr) return;
  TryCandidate(*earlier.kernel, query, policy, run_place(*earlier.kernel),
               recorder, selection);
}

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_CANDIDATE_LOOP_H_
