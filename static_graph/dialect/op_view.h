// SPDX-License-Identifier: Apache-2.0
// OpView: the base of the generated operator classes (SoftmaxOp, ...), which
// build and read operations of the dialects `op` and `kernel` by the names of
// their arguments. Code for any operator works on an OpCall (op_call.h).
//
//   SY_ASSIGN_OR_RETURN(SoftmaxOp softmax, SoftmaxOp::Build(builder, x, -1));
//   ir::Value y = softmax.out();
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_OP_VIEW_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_OP_VIEW_H_

#include <utility>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/dialect_op.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph {

// Valid while the operation lives and is not changed.
class OpView {
 protected:
  explicit OpView(OpCall&& call) : call_(std::move(call)) {}

  // Returns `call` as an object of a generated class.
  template <typename View>
  static absl::StatusOr<View> As(absl::StatusOr<OpCall> call) {
    if (!call.ok()) return std::move(call).status();
    return View(*std::move(call));
  }

  // BuildOp, and the new operation read back.
  static absl::StatusOr<OpCall> BuildCall(
      ir::Builder& builder, const DialectOp& op,
      const phi::ArgBuffer<ir::Value>& inputs, absl::Span<const AttrRef> attrs);
  // InvalidArgument unless `operation` is a call of `op`.
  static absl::StatusOr<OpCall> ReadAs(const ir::Operation& operation,
                                       const DialectOp& op);

  // Null where absent or not wanted.
  ir::Value InputAt(int i) const { return call_.inputs.one(i); }
  absl::Span<const ir::Value> InputListAt(int i) const {
    return call_.inputs.list(i);
  }
  template <typename T>
  T AttrAt(int i) const {
    return call_.attrs[i].Get<T>();
  }
  ir::Value OutputAt(int i) const { return call_.outputs.one(i); }
  absl::Span<const ir::Value> OutputListAt(int i) const {
    return call_.outputs.list(i);
  }

 private:
  OpCall call_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_OP_VIEW_H_
