// SPDX-License-Identifier: Apache-2.0
// Environment: the settings of a thread that its eager calls read.
#ifndef SWITCHYARD_PHI_DISPATCH_ENVIRONMENT_H_
#define SWITCHYARD_PHI_DISPATCH_ENVIRONMENT_H_

#include "framework/types/place.h"
#include "phi/selection/policy.h"

namespace switchyard::phi::dispatch {

class SelectionRecorder;  // phi/dispatch/selection_recorder.h

// The settings of a thread that its eager calls read: the selection policy,
// where operators without tensors run, and who records the choices. There is no
// other hidden input to a call. Each thread has its own; no other thread may
// touch it. The static executor does not read it: its lowering is given a
// Policy.
struct Environment {
  selection::Policy policy;
  Place default_place;  // Of a call that has neither tensors nor a Place.
  SelectionRecorder* recorder =
      nullptr;  // The innermost one; null: there is none.

  // Returns the calling thread's Environment.
  static Environment& Current();
};

namespace internal {
// Constant-initialised and trivially destroyed, so that access is one load.
inline thread_local Environment environment;
}  // namespace internal

inline Environment& Environment::Current() { return internal::environment; }

// Sets another policy for the calling thread for the length of a block:
//   selection::Policy policy;
//   policy.allow_fallback = false;
//   const PolicyScope scope(policy);
// Scopes nest. Each ends on the thread that began it, before the scope around
// it, and sets back what it found. Neither fails nor takes memory.
class PolicyScope {
 public:
  explicit PolicyScope(const selection::Policy& policy)
      : before_(Environment::Current().policy) {
    Environment::Current().policy = policy;
  }
  ~PolicyScope() { Environment::Current().policy = before_; }
  PolicyScope(const PolicyScope&) = delete;
  PolicyScope& operator=(const PolicyScope&) = delete;

 private:
  selection::Policy before_;
};

// Lets operators without tensors run on another place for the length of a
// block, by the rules of PolicyScope. A place that does not exist is an error
// of the call.
class DefaultPlaceScope {
 public:
  explicit DefaultPlaceScope(Place place)
      : before_(Environment::Current().default_place) {
    Environment::Current().default_place = place;
  }
  ~DefaultPlaceScope() { Environment::Current().default_place = before_; }
  DefaultPlaceScope(const DefaultPlaceScope&) = delete;
  DefaultPlaceScope& operator=(const DefaultPlaceScope&) = delete;

 private:
  Place before_;
};

}  // namespace switchyard::phi::dispatch

#endif  // SWITCHYARD_PHI_DISPATCH_ENVIRONMENT_H_
