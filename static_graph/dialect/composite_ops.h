// SPDX-License-Identifier: Apache-2.0
// The argument of the templates of phi/composite for the static graph: the base
// class of generated operator sets (Value = ir::Value). Eager has its own over
// Tensor (eager/call/composite_ops.h).
//
// Generated code (static_graph/dialect/<op>.gen.cc), for `multiply_grad`:
//   absl::Status MultiplyGradComposite(ir::Builder& builder,
//                                      const CompositeArgs& args) {
//     using Ops = phi::MultiplyCall<
//         dialect_multiply, phi::ReduceAsCall<dialect_reduce_as, IrOpsBase>>;
//     Ops ops(&builder);
//     return ops.Run([&] {
//       phi::composite::MultiplyGrad(ops, args.inputs.one(0),
//                                    args.inputs.one(1), args.inputs.one(2),
//                                    args.outputs.optional(0),
//                                    args.outputs.optional(1));
//     });
//   }
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_COMPOSITE_OPS_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_COMPOSITE_OPS_H_

#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/place.h"
#include "phi/composite/ops_base.h"
#include "phi/core/op_info.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/dialect_op.h"
#include "static_graph/dialect/supplied_attrs.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/value.h"

namespace switchyard::static_graph {

// The base class of generated operator sets. The first error ends the composite
// (OpsBase); what it created stays in the block, unused.
class IrOpsBase : public phi::composite::OpsBase {
 public:
  using Value = ir::Value;
  using List = absl::Span<const ir::Value>;
  using Parameter = ir::Value;
  using ListParameter = List;
  using Input = ir::Value;  // Of a call.
  using OutputList = phi::OutputList<ir::Value>;

  explicit IrOpsBase(ir::Builder* builder) : builder_(builder) {}

  ir::Builder& builder() const { return *builder_; }

  // Returns false for an absent optional argument.
  bool defined(ir::Value value) const { return static_cast<bool>(value); }
  // These return rank 0 and kUndefined for an absent argument. Dims may be
  // unknown.
  Shape shape(ir::Value value) const;
  DataType dtype(ir::Value value) const;
  // Requires that the argument is given.
  TensorKind kind(ir::Value value) const {
    return value.tensor_type().spec().kind;
  }
  // A value has no place before it is lowered.
  Place place(ir::Value) const { return Place::Cpu(); }

  static Input AsInput(ir::Value value) { return value; }
  // An operator with one output.
  ir::Value Call(const DialectOp& op, const InputValues& inputs,
                 absl::Span<const AttrRef> attrs);
  // Any operator: its `count` outputs, flat.
  std::vector<ir::Value> CallAll(const DialectOp& op, const InputValues& inputs,
                                 absl::Span<const AttrRef> attrs, size_t count);

 private:
  ir::Builder* builder_;
};

// Runs the operator's composite at the insertion point. Inputs, attributes (all
// of them) and results as for BuildOp; `supplied` has the values of attributes
// that are supplied, which supply those of operators to which the composite
// passes them on. Errors do not carry the operator's name; what was created
// before the error stays, unused.
absl::Status RunComposite(ir::Builder& builder, const DialectOp& op,
                          const InputValues& inputs,
                          absl::Span<const AttrRef> attrs,
                          absl::Span<const SuppliedAttr> supplied,
                          const phi::ArgList<const bool>& wanted,
                          std::vector<ir::Value>* results);

// Writes a call out by RunComposite. Asks InferMeta first, so a composite may
// index by whatever that checks; a wanted output that the composite leaves
// null, or that isn't what InferMeta said, is Internal. Errors carry the
// operator's name.
absl::Status BuildComposite(ir::Builder& builder, const DialectOp& op,
                            const InputValues& inputs,
                            absl::Span<const AttrRef> attrs,
                            absl::Span<const SuppliedAttr> supplied,
                            const phi::ArgList<const bool>& wanted,
                            std::vector<ir::Value>* results);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_COMPOSITE_OPS_H_
