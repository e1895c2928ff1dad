// SPDX-License-Identifier: Apache-2.0
// A Policy as text and back, for command lines, Python and messages:
//   "form=fluid,backend=cpu,backend=onednn,fallback,strict,thread_variant,
//    no_transforms" (without the line break); "default" is the default.
#ifndef SWITCHYARD_PHI_SELECTION_POLICY_TEXT_H_
#define SWITCHYARD_PHI_SELECTION_POLICY_TEXT_H_

#include <string>
#include <string_view>

#include "framework/base/status.h"
#include "phi/selection/policy.h"

namespace switchyard::phi::selection {

std::string ToString(const Policy& policy);

// ArgumentError("policy", ...) for anything else than the words above. The
// first `backend` replaces the default set, each further one adds to it.
absl::StatusOr<Policy> ParsePolicy(std::string_view text);

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_POLICY_TEXT_H_
