// SPDX-License-Identifier: Apache-2.0
// Checks of a program in JSON as a whole: its form and version are known, and
// its values are defined before their use.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_JSON_JSON_CHECKS_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_JSON_JSON_CHECKS_H_

#include <cstdint>

#include "framework/base/status.h"
#include "static_graph/foreign/paddle_json/json_node.h"
#include "static_graph/foreign/paddle_json/json_program.h"

namespace switchyard::static_graph {

// Reads the header "base_code" of the program: "magic" is "pir", and "version",
// which is returned, one of those that PaddlePaddle has written.
// InvalidArgument for any other.
absl::StatusOr<int64_t> ReadJsonHeader(const JsonNode& program);

// Checks that each value is defined once where it is seen, and before operators
// use it, in the same block or one around it. InvalidArgument, with the
// operator's place.
absl::Status CheckJsonValues(const JsonProgram& program);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_JSON_JSON_CHECKS_H_
