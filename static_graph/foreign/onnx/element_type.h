// SPDX-License-Identifier: Apache-2.0
// The element types of ONNX by their numbers (TensorProto.DataType).
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_ELEMENT_TYPE_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_ELEMENT_TYPE_H_

#include <cstdint>

#include "framework/base/status.h"
#include "framework/types/data_type.h"

namespace switchyard::static_graph {

// Returns the dtype of a number of ONNX's. ArgumentError for a number that is
// none.
absl::StatusOr<DataType> DataTypeOfOnnx(int64_t number);

// Returns the number of a dtype. TypeError for one that ONNX lacks.
absl::StatusOr<int64_t> OnnxTypeOf(DataType dtype);
// Returns the first opset of ai.onnx whose tensors may have the dtype: 1 for
// those that are computed with.
int64_t FirstOpsetOf(DataType dtype);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_ELEMENT_TYPE_H_
