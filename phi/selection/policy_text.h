// SPDX-License-Identifier: Apache-2.0
// A Policy as text and back, for command lines, Python and messages:
//   "origin=fluid,backend=cpu,backend=onednn,prefer=legacy+onednn,fallback,
//    strict,thread_variant,no_transforms,on=onednn:conv2d+matmul,
//    off=onednn:softmax"
// (in one line). "default" is the default policy, and "backend=default" stands
// for the backends that it admits. "prefer" names backends and origins ("phi",
// "legacy"), whose kernels come first. "on" gives a backend these operators
// alone, "off" keeps it off these; "library=onednn" and "declined=onednn" stand
// for use_mkldnn (true, false) of a legacy call.
#ifndef SWITCHYARD_PHI_SELECTION_POLICY_TEXT_H_
#define SWITCHYARD_PHI_SELECTION_POLICY_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "phi/core/kernel_table.h"
#include "phi/selection/policy.h"

namespace switchyard::phi::selection {

// Returns the words above that differ from the default policy, or "default".
std::string ToString(const Policy& policy);

// ArgumentError("policy", ...) for anything else than the words above. The
// first `backend` replaces the default set, each further one adds to it; they
// are backends that `kernels` has kernels of. Operators of lists are such, too.
absl::StatusOr<Policy> ParsePolicy(std::string_view text,
                                   const KernelTable& kernels);

// A set by names ("default" as above). ArgumentError(subject, ...) for a name
// that is none of `kernels`' backends, or if there are no names.
absl::StatusOr<BackendSet> ParseBackends(std::string_view subject,
                                         absl::Span<const std::string> names,
                                         const KernelTable& kernels);

// Returns preferences by the names of backends of `kernels` and of origins;
// null for no names. ArgumentError("policy: prefer", ...) for another name.
absl::StatusOr<const Preferences*> ParsePreferences(
    absl::Span<const std::string> names, const KernelTable& kernels);

// Collects the lists of operators of a policy, by the words "on", "off" and
// "decompose".
class ListParser {
 public:
  explicit ListParser(const KernelTable& kernels) : kernels_(kernels) {}

  // Adds operators to the list `on` or, else, `off` of a backend, which may get
  // none. ArgumentError("policy: on", ...) for a name that the table lacks.
  absl::Status Add(bool on, std::string_view backend,
                   absl::Span<const std::string> ops);
  // Keeps operators off every backend, so that their composites answer.
  // ArgumentError("policy: decompose", ...) for one that has not both kernels
  // and a composite.
  absl::Status Decompose(absl::Span<const std::string> ops);
  // Returns null without lists.
  const OperatorLists* Intern() { return OperatorLists::Intern(lists_); }

 private:
  const KernelTable& kernels_;
  std::vector<OperatorList> lists_;
};

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_POLICY_TEXT_H_
