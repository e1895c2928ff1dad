// SPDX-License-Identifier: Apache-2.0
// Dtypes of nodes by the facts of ONNX's schemas: what an input may be, and
// what an output is.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_NODE_TYPES_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_NODE_TYPES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "framework/types/data_type.h"
#include "static_graph/foreign/onnx/schema_facts.h"
#include "static_graph/foreign/onnx/written_model.h"

namespace switchyard::static_graph {

// Returns the letter of a dtype in schema_facts.txt; '\0' for none.
char OnnxLetterOf(DataType dtype);

// Returns why a node may not have inputs of these dtypes: "Neg takes no uint8".
// Empty where it may, as far as they are known: kUndefined is any dtype.
std::string DtypeProblem(const OnnxSchema& schema,
                         const std::vector<DataType>& inputs);

// Returns the dtype of an output; kUndefined where the facts don't say it.
DataType OutputDtype(const OnnxSchema& schema,
                     const std::vector<DataType>& inputs,
                     const std::vector<WrittenAttribute>& attributes,
                     size_t output);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_NODE_TYPES_H_
