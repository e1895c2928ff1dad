// SPDX-License-Identifier: Apache-2.0
// Evaluates the Conditions of kernels (phi/core/condition.h) against one call.
// The answer has three values: a condition that depends on an unknown Dim is
// undecided, and whatever that Dim turns out to be, a true or false one stays
// so. The other requirements of a kernel are in phi/selection/candidate.h.
#ifndef SWITCHYARD_PHI_SELECTION_CONDITIONS_H_
#define SWITCHYARD_PHI_SELECTION_CONDITIONS_H_

#include <string>

#include "absl/types/span.h"
#include "phi/core/condition.h"
#include "phi/selection/query.h"

namespace switchyard::phi::selection {

// The three answers of a condition.
enum class Tristate : uint8_t { kFalse, kTrue, kUndecided };

// Evaluates the first condition of a list, or the group that it begins, for a
// kernel that would run at `place`, without allocating memory. A condition on
// an absent tensor is false. A group is true where one of its members is, else
// undecided where one is.
Tristate Evaluate(absl::Span<const Condition> conditions, const Query& query,
                  Place place);
// Evaluates one condition, for a kernel that runs where the call does.
Tristate Evaluate(const Condition& condition, const Query& query);

// One requirement and the call's actual value, for people and programs:
// "<subject> must be <expected>, got <actual>".
struct Mismatch {
  std::string subject;   // "numel(x)"
  std::string expected;  // "at least 4096"
  std::string actual;    // "6"; a shape where a Dim is unknown.
};

// Return the condition and the call's actual value, in words; of a group, all
// of its members and values: "one of: rank(x) must be at most 2, or axis 0, got
// 3 and 1".
Mismatch Describe(absl::Span<const Condition> conditions, const Query& query,
                  Place place);
Mismatch Describe(const Condition& condition, const Query& query);

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_CONDITIONS_H_
