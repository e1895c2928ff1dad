// SPDX-License-Identifier: Apache-2.0
// Policy: the kernels that selection may choose, and the ones that it prefers.
#ifndef SWITCHYARD_PHI_SELECTION_POLICY_H_
#define SWITCHYARD_PHI_SELECTION_POLICY_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "phi/core/backend_set.h"
#include "phi/core/kernel_def.h"
#include "phi/core/kernel_origin.h"
#include "phi/selection/operator_lists.h"
#include "phi/selection/preferences.h"

namespace switchyard::phi::selection {

// Restricts and orders the choice of kernels: a plain value that the caller
// passes. The current one is in the thread's Environment
// (phi/dispatch/environment.h) for eager calls, in the lowering options for
// programs.
struct Policy {
  // Admits only kernels of this origin; nullopt: any.
  std::optional<KernelOrigin> origin;
  // The backends that may be chosen. The default leaves out `reference`, which
  // is an oracle for tests.
  BackendSet backends;
  // A CPU kernel may serve a call on another place, its tensors copied to and
  // fro. Each use is logged (phi/selection/fallback_log.h).
  bool allow_fallback = false;
  // Turns a fallback that allow_fallback permits into an error that names the
  // missing kernel.
  bool strict = false;
  // Admits kernels whose bits depend on the number of threads.
  bool allow_thread_variant = false;
  // Lets inputs be transformed. Off while a transform is selected itself.
  bool allow_transforms = true;
  // Which operators a backend serves; null: all that it has kernels of.
  const OperatorLists* lists = nullptr;
  // Which of the kernels that fit is taken; null: the first in the order of the
  // table.
  const Preferences* prefer = nullptr;
  // The libraries that one legacy call declines and requests (use_mkldnn,
  // use_cudnn): none of `declined` serves it, and kernels that are there for
  // calls that ask for their library (phi/core/library_asked.h) serve it if it
  // is in `requested`.
  BackendSet declined = BackendSet::None();
  BackendSet requested = BackendSet::None();

  friend bool operator==(const Policy& a, const Policy& b) {
    return a.origin == b.origin && a.backends == b.backends &&
           a.allow_fallback == b.allow_fallback && a.strict == b.strict &&
           a.allow_thread_variant == b.allow_thread_variant &&
           a.allow_transforms == b.allow_transforms && a.lists == b.lists &&
           a.prefer == b.prefer && a.declined == b.declined &&
           a.requested == b.requested;
  }

  // One backend alone.
  static Policy Only(const BackendInfo& backend) {
    Policy policy;
    policy.backends = {&backend};
    return policy;
  }
  // Returns the policy under which transforms themselves are selected. They
  // serve a kernel of any origin and backend, so the filters on those and the
  // preferences don't hold for them.
  Policy WithoutTransforms() const {
    Policy policy = *this;
    policy.origin = std::nullopt;
    policy.backends.AddDefaults();
    policy.allow_transforms = false;
    policy.lists = nullptr;
    policy.prefer = nullptr;
    policy.declined = policy.requested = BackendSet::None();
    return policy;
  }
};

// "phi", "fluid".
inline std::string_view Name(KernelOrigin origin) {
  return NamesOf(origin).name;
}

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_POLICY_H_
