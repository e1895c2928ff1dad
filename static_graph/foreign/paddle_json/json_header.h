// SPDX-License-Identifier: Apache-2.0
// CheckJsonHeader: a program in JSON is of a form and version that are known.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_JSON_JSON_HEADER_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_JSON_JSON_HEADER_H_

#include "framework/base/status.h"
#include "static_graph/foreign/paddle_json/json_node.h"

namespace switchyard::static_graph {

// Checks what is said under "base_code" of the program, whose object the tree
// begins with: "magic" is "pir", and "version" one of those that PaddlePaddle
// has written. InvalidArgument for any other.
absl::Status CheckJsonHeader(const JsonTree& program);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_JSON_JSON_HEADER_H_
