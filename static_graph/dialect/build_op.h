// SPDX-License-Identifier: Apache-2.0
// BuildOp: creates op.<name> operations. It does what dispatch does to an eager
// call before selection: promotes dtypes (by op.cast operations before the
// call), fills in attribute defaults, checks all arguments and infers the
// results' types by the operator's InferMeta, which works on shapes that are
// not fully known. Generated builder classes, composites (composite_ops.h),
// autodiff and tracing stand on it. Reading an operation back is op_call.h.
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_BUILD_OP_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_BUILD_OP_H_

#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "phi/core/op_info.h"
#include "static_graph/dialect/dialect_op.h"
#include "static_graph/dialect/supplied_attrs.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/value.h"

namespace switchyard::static_graph {

// True for an operator that is a call of another (`invoke:` in YAML): there is
// no operation of its own, BuildOp creates the other's.
bool IsAnothersCall(const DialectOp& op);

// The options of one call.
struct BuildOpOptions {
  // Indexed by output: false for an optional output that is not wanted. Empty:
  // all are.
  absl::Span<const bool> wanted;
  // Attributes that values supply, in the operator's order; their entries of
  // `attrs` are not read. An attribute whose elements are all known becomes a
  // plain one.
  absl::Span<const SuppliedAttr> supplied;
  // Creates the in-place variant op.<name>_: its results are written over
  // inputs
  // (`inplace:` in YAML), which uses after it read. ArgumentError for an
  // operator that has none and for an input of another type than the result.
  bool inplace = false;
};

// Creates a call of `op` at the insertion point. `attrs` in the operator's
// order; those missing at the end get their defaults. `results` are all
// outputs, null where not wanted.
//
// Errors carry the operator's name and leave the program as it is: wrong
// numbers of inputs or attributes, an attribute without default missing,
// attributes of another type, whatever promotion and InferMeta refuse.
// The operator, and `cast` where promotion needs it, are registered with the
// builder's context (RegisterDialects).
absl::Status BuildOp(ir::Builder& builder, const DialectOp& op,
                     const InputValues& inputs, absl::Span<const AttrRef> attrs,
                     std::vector<ir::Value>* results,
                     const BuildOpOptions& options = {});

// Creates a call of an operator with one output, and returns that.
absl::StatusOr<ir::Value> BuildOp(ir::Builder& builder, const DialectOp& op,
                                  const InputValues& inputs,
                                  absl::Span<const AttrRef> attrs = {});

// `value` as `dtype`: itself, or the result of an op.cast.
absl::StatusOr<ir::Value> BuildCast(ir::Builder& builder, ir::Value value,
                                    DataType dtype);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_BUILD_OP_H_
