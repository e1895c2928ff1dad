// SPDX-License-Identifier: Apache-2.0
// How eager runs the bodies of composites (phi/composite/ops.h).
#ifndef SWITCHYARD_EAGER_CALL_COMPOSITE_OPS_H_
#define SWITCHYARD_EAGER_CALL_COMPOSITE_OPS_H_

#include "absl/types/span.h"
#include "eager/call/eager_op.h"
#include "framework/base/status.h"
#include "phi/composite/ops.h"

namespace switchyard::eager {

// Runs a body, which calls operators of `uses` alone. Outputs are assigned only
// on success.
//
// Generated code (eager/ops/<op>.gen.cc), for `multiply_grad`:
//   constexpr const EagerOp* kMultiplyGradUses[] = {&eager_multiply,
//                                                   &eager_reduce_as};
//   absl::Status MultiplyGradComposite(const CompositeArgs& args) {
//     return RunBody(&phi::composite::MultiplyGradBody, kMultiplyGradUses,
//                    args);
//   }
absl::Status RunBody(phi::composite::Body body,
                     absl::Span<const EagerOp* const> uses,
                     const CompositeArgs& args);

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_CALL_COMPOSITE_OPS_H_
