// SPDX-License-Identifier: Apache-2.0
// InferMeta over the types of the IR: the result types of a call, and whether
// an operation has them.
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_INFER_TYPES_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_INFER_TYPES_H_

#include <vector>

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"
#include "phi/core/op_info.h"
#include "static_graph/ir/type.h"

namespace switchyard::static_graph {

// Runs the operator's InferMeta. The type of an absent input is null; outputs
// say which ones are wanted. The result has an entry for each output, of
// undefined dtype where it is not wanted. Errors are not annotated.
absl::StatusOr<std::vector<TensorSpec>> InferMeta(
    const phi::OpInfo& info,
    const phi::OpArgs<ir::TensorType, const bool>& args);

// ArgumentError unless `type` agrees with InferMeta's type of the result
// `output`; either may know more of the shape, except for a symbol: both must
// know it.
absl::Status CheckInferred(const char* output, const TensorSpec& inferred,
                           ir::TensorType type);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_INFER_TYPES_H_
