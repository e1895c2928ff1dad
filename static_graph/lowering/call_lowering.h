// SPDX-License-Identifier: Apache-2.0
// CallLowering: replaces calls of operators by calls of kernels, one by one.
// Its user decides the order of the program (Lower, lower.h).
#ifndef SWITCHYARD_STATIC_GRAPH_LOWERING_CALL_LOWERING_H_
#define SWITCHYARD_STATIC_GRAPH_LOWERING_CALL_LOWERING_H_

#include <optional>
#include <vector>

#include "framework/base/hash_map.h"
#include "phi/selection/selection.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/dialect/op_traits.h"
#include "static_graph/ir/builder.h"
#include "static_graph/lowering/lower.h"

namespace switchyard::static_graph {

// Replaces calls of operators by calls of kernels. It keeps what the types of
// values don't say: the place of each, and whether it is surely contiguous.
class CallLowering : public Lowering {
 public:
  // Borrows its arguments.
  CallLowering(ir::Context* context, const phi::KernelTable* table,
               const LoweringOptions* options)
      : context_(context), table_(table), options_(options) {}

  // Replaces op.<name> by kernel.<name>, with transforms before it and after
  // it reorders of results that are not strided and, for a fallback or where
  // its attribute op_device asks for the host, copies back. `op` is erased.
  absl::Status LowerCall(ir::Operation* op) override;

  // The result of a new kernel.copy of `value` at the insertion point.
  absl::StatusOr<ir::Value> Copy(ir::Builder& builder, ir::Value value);
  // Returns the result of a new kernel.reorder of `value` to `layout`, there
  // too.
  absl::StatusOr<ir::Value> Reorder(ir::Builder& builder, ir::Value value,
                                    LayoutDescriptor layout);
  // Gives all users of a kernel's result that is in another layout a strided
  // one, at the insertion point; returns that.
  absl::StatusOr<ir::Value> ReorderResult(ir::Builder& builder,
                                          ir::Value result);

  // Selects for a call, under `policy`, whose inputs are in `layout` where that
  // describes their shapes, and strided elsewhere.
  absl::StatusOr<phi::selection::Selection> SelectInLayout(
      const OpCall& call, LayoutDescriptor layout,
      const phi::selection::Policy& policy) const;
  // Returns whether the composite of the operator answers a call, and not these
  // kernels of it, under `policy`; `call` is one of an input of Lower().
  absl::StatusOr<bool> Composes(const OpCall& call,
                                const phi::OpKernels& op_kernels,
                                const phi::selection::Policy& policy) const;
  // Returns that for kernels that the binary has beside the composite.
  absl::StatusOr<bool> ComposesBeforeFallback(
      const OpCall& call, const phi::OpKernels& op_kernels,
      const phi::selection::Policy& policy) const;
  // Returns the policy under which the kernel of `op` is selected.
  absl::StatusOr<phi::selection::Policy> PolicyFor(
      const ir::Operation& op) const;

 private:
  // The known facts of a value beyond its type.
  struct Facts {
    Place place;
    bool contiguous = true;
  };
  // A call with what selection is asked about it.
  struct Asked;

  Facts GetFacts(ir::Value value) const;
  absl::Status Ask(const OpCall& call, Asked* asked) const;
  absl::Status Select(const OpCall& call, std::optional<Place> device,
                      const phi::selection::Policy& policy, Asked* asked) const;
  void KeepStrideDependent(const phi::selection::Policy& policy,
                           Asked* asked) const;
  absl::StatusOr<ir::Value> Transform(
      ir::Builder& builder, ir::Value value,
      const phi::selection::Transform& transform);
  absl::StatusOr<ir::Value> CreateTransform(ir::Builder& builder,
                                            const char* name, ir::Value value,
                                            absl::Span<const AttrRef> attrs,
                                            Place result_place);
  ir::Operation* Create(ir::Builder& builder, const DialectOp& op,
                        ir::OperationState state, const Asked& asked,
                        bool transform);
  absl::Status TransformInputs(ir::Builder& builder, const OpCall& call,
                               const phi::selection::Selection& selection,
                               std::vector<ir::Value>* operands);
  absl::Status CopyInputs(ir::Builder& builder, Place place, OpCall* call);
  absl::Status ReturnFromHost(ir::Builder& builder,
                              absl::Span<const ir::Value> results, Place place,
                              bool moved);

  ir::Context* context_;
  const phi::KernelTable* table_;
  const LoweringOptions* options_;
  PooledMap<ir::Value, Facts> facts_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_LOWERING_CALL_LOWERING_H_
