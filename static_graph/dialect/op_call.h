// SPDX-License-Identifier: Apache-2.0
// OpCall: an operation of the dialects `op` and `kernel` read as a call of its
// operator: inputs and results by argument, attributes in the order of OpInfo,
// defaults filled in. Autodiff, lowering and the verifier work on it. Creating
// operations is static_graph/dialect/build_op.h.
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_OP_CALL_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_OP_CALL_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "phi/core/arg_buffer.h"
#include "static_graph/dialect/dialect_op.h"
#include "static_graph/dialect/supplied_attrs.h"
#include "static_graph/ir/operation.h"

namespace switchyard::phi {
extern template class ArgBuffer<static_graph::ir::Value>;
}  // namespace switchyard::phi

namespace switchyard::static_graph {

// The values are the operation's; the attributes refer into its Context or to
// the operator's constants. Valid while the operation is not changed. Every
// generated operator class holds one, so its copies are no inline functions.
struct OpCall {
  OpCall();
  OpCall(const OpCall&);
  OpCall(OpCall&&) noexcept;
  OpCall& operator=(const OpCall&);
  OpCall& operator=(OpCall&&) noexcept;
  ~OpCall();

  const DialectOp* op = nullptr;
  phi::ArgBuffer<ir::Value> inputs;  // Null where absent.
  std::vector<AttrRef> attrs;
  phi::ArgBuffer<ir::Value> outputs;  // Null where not wanted.
  // The attributes that values supply, in the operator's order, with the known
  // elements of each, which `attrs` refers to.
  std::vector<SuppliedAttr> supplied;
  std::vector<std::vector<AttrValue>> elements;
};

// The operator of an operation of the dialect `op` or `kernel`; null for all
// others.
const DialectOp* FindDialectOp(const ir::Operation& op);

// Reads `op`, of one of the two dialects. InvalidArgument, with the operator's
// sentence, for wrong numbers of operands or results and for attributes that
// the operator lacks or that have another type.
absl::StatusOr<OpCall> ReadCall(const ir::Operation& op);
// Reads all but the outputs, of an operation that may have none yet.
absl::StatusOr<OpCall> ReadArguments(const ir::Operation& op);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_OP_CALL_H_
