// SPDX-License-Identifier: Apache-2.0
// BackendSet: the backends that a selection policy admits, as a mask over the
// numbers that backends have in this process. A backend is numbered when a
// kernel table that holds it is made (phi/core/kernel_tables.h) or a set names
// it; numbers are never given back, so a set is right for every table.
// KernelTable::FindBackend looks names up.
#ifndef SWITCHYARD_PHI_CORE_BACKEND_SET_H_
#define SWITCHYARD_PHI_CORE_BACKEND_SET_H_

#include <cstdint>
#include <initializer_list>
#include <string>

#include "framework/device/backend.h"

namespace switchyard::phi {

// The bits of the mask.
inline constexpr int kMaxBackends = 64;

// Returns the number of a backend in [0, kMaxBackends), which it gets now if it
// has none; -1 if all are taken. Thread-safe; allocates nothing.
int BackendNumber(const BackendInfo& backend);

// The order of backends in texts: by rank, then by name.
bool RanksBelow(const BackendInfo& a, const BackendInfo& b);

// The backends that a policy admits: the defaults, or those that it was made
// of. A plain value of a few words, which takes no memory from the heap:
//   policy.backends = BackendSet({&backend_cpu, &backend_reference});
class BackendSet {
 public:
  // Those that are admitted by default, linked ones of other workspaces too.
  constexpr BackendSet() = default;
  // These alone; one beyond kMaxBackends is left out.
  BackendSet(std::initializer_list<const BackendInfo*> backends) {
    *this = None();
    for (const BackendInfo* backend : backends) Add(*backend);
  }
  static constexpr BackendSet None() {
    BackendSet none;
    none.defaults_ = false;
    return none;
  }

  void Add(const BackendInfo& backend);
  void AddDefaults() { defaults_ = true; }
  // Return the backends that are in both sets, and those in either.
  BackendSet Intersection(BackendSet other) const;
  BackendSet Union(BackendSet other) const;
  bool contains(const BackendInfo& backend) const {
    return (defaults_ && backend.by_default) ||
           (named_ != 0 && IsNamed(backend));
  }

  // "default" and the names of the others, in the order of RanksBelow, joined
  // by `separator`; "none" for the empty set.
  std::string ToString(const char* separator = ", ") const;

  friend constexpr bool operator==(BackendSet a, BackendSet b) {
    return a.named_ == b.named_ && a.defaults_ == b.defaults_;
  }
  friend constexpr bool operator!=(BackendSet a, BackendSet b) {
    return !(a == b);
  }

 private:
  bool IsNamed(const BackendInfo& backend) const;

  uint64_t named_ = 0;  // Bit n: the backend of this number.
  bool defaults_ = true;
};

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_BACKEND_SET_H_
