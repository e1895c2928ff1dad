// SPDX-License-Identifier: Apache-2.0
// How the IR runs the bodies of composites (phi/composite/ops.h): each call of
// an operator becomes an operation. Eager has its own
// (eager/call/composite_ops.h).
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_COMPOSITE_OPS_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_COMPOSITE_OPS_H_

#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/place.h"
#include "phi/composite/ops.h"
#include "phi/core/op_info.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/dialect_op.h"
#include "static_graph/dialect/supplied_attrs.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/value.h"

namespace switchyard::static_graph {

// Writes operators at the builder's insertion point. Operations created before
// the first error of a composite stay in the block, unused.
class IrOps final : public phi::composite::Ops {
 public:
  using Value = phi::composite::Value;

  // A body calls operators of `uses` alone.
  explicit IrOps(ir::Builder* builder,
                 absl::Span<const DialectOp* const> uses = {})
      : builder_(builder), uses_(uses) {}

  Shape shape(const Value& value) const override;
  DataType dtype(const Value& value) const override;
  Place place(const Value&) const override { return Place::Cpu(); }
  TensorKind kind(const Value& value) const override;
  Value Call(const phi::OpInfo& op, absl::Span<const Value* const> inputs,
             absl::Span<const AttrRef> attrs) override;
  std::vector<Value> CallAll(const phi::OpInfo& op,
                             const phi::ArgList<const Value* const>& inputs,
                             absl::Span<const AttrRef> attrs,
                             size_t count) override;

  // For composites that are written for programs alone: an operator with one
  // output.
  ir::Value Call(const DialectOp& op, const InputValues& inputs,
                 absl::Span<const AttrRef> attrs);

 private:
  std::vector<ir::Value> Build(const DialectOp& op, const InputValues& inputs,
                               absl::Span<const AttrRef> attrs, size_t count);

  ir::Builder* builder_;
  absl::Span<const DialectOp* const> uses_;
};

// Runs a body, which calls operators of `uses` alone.
//
// Generated code (static_graph/dialect/<op>.gen.cc), for `multiply_grad`:
//   constexpr const DialectOp* kMultiplyGradUses[] = {&dialect_multiply,
//                                                     &dialect_reduce_as};
//   absl::Status MultiplyGradComposite(ir::Builder& builder,
//                                      const CompositeArgs& args) {
//     return RunBody(&phi::composite::MultiplyGradBody, kMultiplyGradUses,
//                    builder, args);
//   }
absl::Status RunBody(phi::composite::Body body,
                     absl::Span<const DialectOp* const> uses,
                     ir::Builder& builder, const CompositeArgs& args);

// Runs the operator's composite at the insertion point. Inputs, attributes (all
// of them) and results as for BuildOp; `supplied` has the values of attributes
// that are supplied, which supply those of operators to which the composite
// passes them on. Errors do not carry the operator's name; operations created
// before the error stay, unused.
absl::Status RunComposite(ir::Builder& builder, const DialectOp& op,
                          const InputValues& inputs,
                          absl::Span<const AttrRef> attrs,
                          absl::Span<const SuppliedAttr> supplied,
                          const phi::ArgList<const bool>& wanted,
                          std::vector<ir::Value>* results);

// Writes a call out by RunComposite. Asks InferMeta first, so a composite may
// index by whatever that checks; a wanted output that the composite leaves
// null, or that differs from InferMeta's, is Internal. Errors carry the
// operator's name.
absl::Status BuildComposite(ir::Builder& builder, const DialectOp& op,
                            const InputValues& inputs,
                            absl::Span<const AttrRef> attrs,
                            absl::Span<const SuppliedAttr> supplied,
                            const phi::ArgList<const bool>& wanted,
                            std::vector<ir::Value>* results);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_COMPOSITE_OPS_H_
