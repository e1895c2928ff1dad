// SPDX-License-Identifier: Apache-2.0
// OpView: the base of the generated operator classes (SoftmaxOp, ...), which
// build and read operations of the dialects `op` and `kernel` by the names of
// their arguments. A class knows its operator's name and the positions of the
// arguments, and links no operator: it builds the operator that the context has
// under that name. Code for any operator works on an OpCall (op_call.h).
//
//   SY_ASSIGN_OR_RETURN(SoftmaxOp softmax, SoftmaxOp::Build(builder, x, -1));
//   ir::Value y = softmax.out();
//   if (const auto softmax = SoftmaxOp::Match(op)) Use(softmax->x());
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_OP_VIEW_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_OP_VIEW_H_

#include <optional>
#include <string_view>
#include <utility>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/dialect_op.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph {

// The name of a generated class's operator, and how many arguments it has. An
// operator of the same name with other numbers is another one.
struct ViewedOp {
  std::string_view name;
  int inputs;
  int attrs;
  int outputs;
};

// Valid while the operation lives and is not changed.
class OpView {
 protected:
  explicit OpView(OpCall&& call) : call_(std::move(call)) {}

  // The operator that the context has; null if it has none.
  static const DialectOp* FindViewed(const ir::Context& context,
                                     const ViewedOp& op);
  // BuildOp, and the new operation read back. NotFound if the builder's context
  // does not have the operator.
  static absl::StatusOr<OpCall> BuildCall(
      ir::Builder& builder, const ViewedOp& op,
      const phi::ArgBuffer<ir::Value>& inputs, absl::Span<const AttrRef> attrs);
  // InvalidArgument unless `operation` is a call of `op`.
  static absl::StatusOr<OpCall> ReadAs(const ir::Operation& operation,
                                       const ViewedOp& op);
  // Reads as OpViewOf::Match does.
  static std::optional<OpCall> MatchAs(const ir::Operation& operation,
                                       const ViewedOp& op);

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

// The base of the generated class `View`, whose constant kOp is its operator.
template <typename View>
class OpViewOf : public OpView {
 public:
  // Returns true if the context has the operator, so that Build may succeed.
  static bool IsRegistered(const ir::Context& context) {
    return FindViewed(context, View::kOp) != nullptr;
  }
  // Reads an operation of the dialect op or kernel.
  static absl::StatusOr<View> From(const ir::Operation& operation) {
    return As(ReadAs(operation, View::kOp));
  }
  // Reads an operation that a rewrite may replace: one of the dialect op, that
  // may run anywhere and has all its attributes. Nullopt for any other.
  static std::optional<View> Match(const ir::Operation& operation) {
    std::optional<OpCall> call = MatchAs(operation, View::kOp);
    if (!call.has_value()) return std::nullopt;
    return View(*std::move(call));
  }
  // Reads the operation that makes `value`, which may be null.
  static std::optional<View> Match(ir::Value value) {
    const ir::Operation* const maker = value ? value.defining_op() : nullptr;
    if (maker == nullptr) return std::nullopt;
    return Match(*maker);
  }

 protected:
  explicit OpViewOf(OpCall&& call) : OpView(std::move(call)) {}

  static absl::StatusOr<View> As(absl::StatusOr<OpCall> call) {
    if (!call.ok()) return std::move(call).status();
    return View(*std::move(call));
  }
};

// Returns true if the context has the operators of all these classes.
template <typename... Views>
bool AreRegistered(const ir::Context& context) {
  return (Views::IsRegistered(context) && ...);
}

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_OP_VIEW_H_
