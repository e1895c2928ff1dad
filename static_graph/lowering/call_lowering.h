// SPDX-License-Identifier: Apache-2.0
// CallLowering: replaces calls of operators by calls of kernels, one by one.
// Its user decides the order of the program (Lower, lower.h).
#ifndef SWITCHYARD_STATIC_GRAPH_LOWERING_CALL_LOWERING_H_
#define SWITCHYARD_STATIC_GRAPH_LOWERING_CALL_LOWERING_H_

#include "static_graph/dialect/op_traits.h"
#include "static_graph/lowering/call_selector.h"
#include "static_graph/lowering/call_transforms.h"
#include "static_graph/lowering/lower.h"

namespace switchyard::static_graph {

// Lowers calls with one selector and one set of facts.
class CallLowering : public Lowering {
 public:
  // Borrows its arguments.
  CallLowering(ir::Context* context, const phi::KernelTable* table,
               const LoweringOptions* options)
      : context_(context),
        selector_(table, options),
        transforms_(context, &selector_) {}
  CallLowering(const CallLowering&) = delete;
  CallLowering& operator=(const CallLowering&) = delete;

  const CallSelector& selector() const { return selector_; }
  CallTransforms& transforms() { return transforms_; }

  // Replaces op.<name> by kernel.<name>, with transforms before it and after
  // it reorders of results that are not strided and, for a fallback or where
  // its attribute op_device asks for the host, copies back. `op` is erased.
  absl::Status LowerCall(ir::Operation* op) override;

 private:
  ir::Context* context_;
  CallSelector selector_;
  CallTransforms transforms_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_LOWERING_CALL_LOWERING_H_
