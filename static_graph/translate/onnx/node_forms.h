// SPDX-License-Identifier: Apache-2.0
// Calls by the forms of ONNX's operators that entries have (`onnx:`, phi/onnx),
// which are renamings alone. Others have a lowering
// (static_graph/translate/onnx/lowerings.h).
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_NODE_FORMS_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_NODE_FORMS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "static_graph/translate/onnx/onnx_call.h"

namespace switchyard::static_graph {

// Returns whether an entry has a form of the operator in this version, for some
// dtypes.
bool HasOnnxForm(std::string_view domain, std::string_view type,
                 int64_t version);

// Adds the call of ours that a form makes of the node, and sets its outputs.
// Returns false, and does nothing, where no form is for the version, the dtypes
// of the inputs and the attributes that are there.
bool CallByForm(OnnxCall& call);
// Does so with the form of another version and other inputs.
bool CallByForm(OnnxCall& call, int64_t version,
                const std::vector<ir::Value>& inputs);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_NODE_FORMS_H_
