// SPDX-License-Identifier: Apache-2.0
// A Policy as text and back, for command lines, Python and messages:
//   "origin=fluid,backend=cpu,backend=onednn,fallback,strict,thread_variant,
//    no_transforms" (without the line break); "default" is the default, and
// "backend=default" stands for the backends that it admits.
#ifndef SWITCHYARD_PHI_SELECTION_POLICY_TEXT_H_
#define SWITCHYARD_PHI_SELECTION_POLICY_TEXT_H_

#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "phi/core/kernel_table.h"
#include "phi/selection/policy.h"

namespace switchyard::phi::selection {

// Returns the words above that differ from the default policy, or "default".
std::string ToString(const Policy& policy);

// ArgumentError("policy", ...) for anything else than the words above. The
// first `backend` replaces the default set, each further one adds to it; they
// are backends that `kernels` has kernels of.
absl::StatusOr<Policy> ParsePolicy(std::string_view text,
                                   const KernelTable& kernels);

// A set by names ("default" as above). ArgumentError(subject, ...) for a name
// that is none of `kernels`' backends, or if there are no names.
absl::StatusOr<BackendSet> ParseBackends(std::string_view subject,
                                         absl::Span<const std::string> names,
                                         const KernelTable& kernels);

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_POLICY_TEXT_H_
