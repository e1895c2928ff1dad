// SPDX-License-Identifier: Apache-2.0
// Preferences: the order among admitted kernels, a part of a selection policy
// (phi/selection/policy.h).
#ifndef SWITCHYARD_PHI_SELECTION_PREFERENCES_H_
#define SWITCHYARD_PHI_SELECTION_PREFERENCES_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "framework/device/backend.h"
#include "phi/core/kernel_def.h"

namespace switchyard::phi::selection {

// One preference: the kernels of a backend or, where that is null, those of an
// origin on any backend; or no kernel at all, but the operators that an
// operator is composed of.
struct Preference {
  const BackendInfo* backend = nullptr;
  KernelOrigin origin = KernelOrigin::kPhi;
  bool composed = false;

  // The last kind.
  static Preference Composed() { return {nullptr, KernelOrigin::kPhi, true}; }

  bool Matches(const KernelDef& def) const {
    if (composed) return false;
    return backend != nullptr ? def.key.backend == backend
                              : def.origin == origin;
  }
  friend bool operator==(const Preference& a, const Preference& b) {
    return a.backend == b.backend && a.origin == b.origin &&
           a.composed == b.composed;
  }
};

// Returns the name of a preference: "onednn", "legacy", "phi", "composed".
std::string Name(const Preference& preference);

// Candidates that match the first preference are tried first, then those of
// the second, and so on; the others come after them. Within each the order is
// that of the table. They admit nothing: a kernel that the policy refuses stays
// refused.
//
// Immutable, and kept for the life of the process: equal lists are one object,
// so that a Policy that points to it stays a plain value, which is compared and
// copied in each call. Any thread may use one.
class Preferences {
 public:
  // Returns the one object with these preferences, repeated ones left out; null
  // for none. Thread-safe.
  static const Preferences* Intern(absl::Span<const Preference> preferences);
  // Returns the preferences of `first`, then those of `second`, either of which
  // may be null.
  static const Preferences* Joined(const Preferences* first,
                                   const Preferences* second);

  absl::Span<const Preference> all() const { return preferences_; }
  // Returns the place of the first preference that `def` matches, in
  // [0, all().size()); all().size() if it matches none.
  size_t RankOf(const KernelDef& def) const {
    size_t rank = 0;
    while (rank < preferences_.size() && !preferences_[rank].Matches(def)) {
      ++rank;
    }
    return rank;
  }

  // Returns whether an operator that has both kernels and a composite is
  // composed: where that is preferred, and before each preference that one of
  // its kernels (of any dtype, on any place) matches.
  bool Compose(absl::Span<const KernelDef* const> kernels) const;

  // "prefer=legacy+onednn", as ParsePolicy reads it.
  std::string ToString() const;

 private:
  explicit Preferences(std::vector<Preference> preferences)
      : preferences_(std::move(preferences)) {}

  std::vector<Preference> preferences_;
};

// Calls visit(def) for each candidate, in the order in which selection tries
// them under `prefer`, until one call returns true; returns whether one did.
// `prefer` may be null.
template <typename Visit>
bool VisitInOrder(absl::Span<const KernelDef* const> candidates,
                  const Preferences* prefer, const Visit& visit) {
  const size_t ranks = prefer == nullptr ? 0 : prefer->all().size();
  for (size_t rank = 0; rank <= ranks; ++rank) {
    for (const KernelDef* def : candidates) {
      if (prefer != nullptr && prefer->RankOf(*def) != rank) continue;
      if (visit(*def)) return true;
    }
  }
  return false;
}

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_PREFERENCES_H_
