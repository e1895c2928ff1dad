// SPDX-License-Identifier: Apache-2.0
// The requirements of a kernel that the policy alone decides, before any tensor
// is looked at. Private to phi/selection; the others are in candidate.h, which
// puts them together.
#ifndef SWITCHYARD_PHI_SELECTION_POLICY_RULES_H_
#define SWITCHYARD_PHI_SELECTION_POLICY_RULES_H_

#include "phi/selection/candidate.h"

namespace switchyard::phi::selection {

// Returns the first rule that `def` breaks in this role; kNone if it breaks
// none.
Requirement BrokenRule(const KernelDef& def, const Query& query,
                       const Policy& policy, Role role);

// Returns a broken rule in words.
Mismatch DescribeRule(Requirement rule, const KernelDef& def,
                      const Query& query, const Policy& policy, Role role);

// Evaluates and describes LibraryAsked() (phi/core/library_asked.h).
Tristate EvaluateLibrary(const KernelDef& def, const Policy& policy);
Mismatch DescribeLibrary(const KernelDef& def);

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_POLICY_RULES_H_
