// SPDX-License-Identifier: Apache-2.0
// OpsBase: how a composite ends early. The operator sets of eager
// (eager/call/composite_ops.h) and of the IR
// (static_graph/dialect/composite_ops.h) derive from it.
#ifndef SWITCHYARD_PHI_COMPOSITE_OPS_BASE_H_
#define SWITCHYARD_PHI_COMPOSITE_OPS_BASE_H_

#include "absl/functional/function_ref.h"
#include "framework/base/status.h"

namespace switchyard::phi::composite {

// The base class of operator sets. The first error ends the composite: nothing
// after the failed call runs, so composites read as mathematics and never see
// a value without a shape. Used by one thread.
class OpsBase {
 public:
  // Runs the composite and returns the error that ended it: Unimplemented where
  // it asked for an attribute that tensors supply (framework/types/attr_arg.h).
  static absl::Status Run(absl::FunctionRef<void()> composite);

  // Ends the composite with an error. Throws what Run() catches, so nothing is
  // thrown out of a composite.
  [[noreturn]] static void Fail(absl::Status status);

 protected:
  ~OpsBase() = default;
};

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_OPS_BASE_H_
