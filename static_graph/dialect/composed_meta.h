// SPDX-License-Identifier: Apache-2.0
// InferByComposite: the one InferMeta of all operators that are written as
// others and have none of their own. Given to phi by
// SetComposedInferMeta (phi/core/composed_meta.h), which says when it runs.
// WithKernels: the records of such operators that have it.
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_COMPOSED_META_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_COMPOSED_META_H_

#include "framework/base/status.h"
#include "phi/core/op_info.h"
#include "static_graph/dialect/dialect_op.h"

namespace switchyard::static_graph {

// Runs the operator's composite on values that have only types, in a program of
// its own, and yields the types of its results: extents may be unknown, as
// where they depend on data. For an attribute that tensors supply, the number
// of elements counts. An error of a part is returned unchanged; Unimplemented
// for an operator that has no composite. Thread-safe.
absl::Status InferByComposite(const phi::OpInfo& op,
                              const phi::InferMetaContext& context);

// Returns `op`; if kernels were added to it and it has no InferMeta a record of
// the same operator that has one. BuildOp creates operations of it, where it
// writes calls of `op` out as others. Both are never freed. Thread-safe.
const DialectOp* WithKernels(const DialectOp* op);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_COMPOSED_META_H_
