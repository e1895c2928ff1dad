// SPDX-License-Identifier: Apache-2.0
// Walk: the one loop over candidates. Select runs it with a recorder that does
// nothing, Explain with one that writes everything down; there is no second
// version that could drift. Private to phi/selection; what one candidate is
// asked is in phi/selection/examine.h.
#ifndef SWITCHYARD_PHI_SELECTION_WALK_H_
#define SWITCHYARD_PHI_SELECTION_WALK_H_

#include "phi/selection/examine.h"
#include "phi/selection/selection.h"

namespace switchyard::phi::selection {

// A recorder hears of each candidate in the order in which it is asked:
//   void Examined(const KernelDef& def, const Check& check, Place run_place);
struct SilentRecorder {
  void Examined(const KernelDef&, const Check&, Place) {}
};

inline bool Serves(const KernelDef& def, Place place) {
  return (BackendsOf(place) & Policy::Bit(def.key.backend)) != 0;
}

// Asks one candidate and files it: true if it is the winner.
template <typename Recorder>
bool Ask(const KernelDef& def, const Query& query, const Policy& policy,
         Place run_place, Recorder* recorder, Selection* selection) {
  const Check check = Examine(def, query, policy, run_place);
  recorder->Examined(def, check, run_place);
  if (check.truth == Truth::kUndecided) selection->residual.push_back(&def);
  if (check.truth != Truth::kTrue) return false;
  selection->kernel = &def;
  selection->fallback = run_place != query.place;
  if (check.transforms) {
    AppendTransforms(def, query, run_place, &selection->transforms);
  }
  return true;
}

// Fills `selection` from the candidates of the key dtype: first those of the
// call's place; if none of them is certain and the policy allows it, those of
// the CPU. `selection` has neither kernel nor residual if nothing fits.
template <typename Recorder>
void Walk(absl::Span<const KernelDef* const> candidates, const Query& query,
          const Policy& policy, Recorder* recorder, Selection* selection) {
  for (const KernelDef* def : candidates) {
    if (Ask(*def, query, policy, query.place, recorder, selection)) return;
  }
  if (!policy.allow_fallback || query.place == Place::Cpu()) return;
  for (const KernelDef* def : candidates) {
    if (!Serves(*def, Place::Cpu())) continue;
    if (Ask(*def, query, policy, Place::Cpu(), recorder, selection)) return;
  }
}

// The same over what an earlier walk left: its undecided candidates, then its
// winner. Each is asked for the place that the earlier walk asked it for.
template <typename Recorder>
void WalkAgain(const Selection& earlier, const Query& query,
               const Policy& policy, Recorder* recorder, Selection* selection) {
  const auto run_place = [&query](const KernelDef& def) {
    return Serves(def, query.place) ? query.place : Place::Cpu();
  };
  for (const KernelDef* def : earlier.residual) {
    if (Ask(*def, query, policy, run_place(*def), recorder, selection)) return;
  }
  if (earlier.kernel == nullptr) return;
  Ask(*earlier.kernel, query, policy, run_place(*earlier.kernel), recorder,
      selection);
}

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_WALK_H_
