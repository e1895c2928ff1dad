// SPDX-License-Identifier: Apache-2.0
// AllEagerOps: every generated operator. For code that finds operators by name
// (legacy calls, Python, tests); code that knows its operator refers to
// `eager_<name>` (eager/ops/<op>.gen.h) and links no other.
#ifndef SWITCHYARD_EAGER_OPS_EVERY_OPERATOR_H_
#define SWITCHYARD_EAGER_OPS_EVERY_OPERATOR_H_

#include "absl/types/span.h"
#include "eager/call/eager_op.h"

namespace switchyard::eager {

// Returns the operators sorted by name, gradients included, in-place variants
// not.
absl::Span<const EagerOp* const> AllEagerOps();

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_OPS_EVERY_OPERATOR_H_
