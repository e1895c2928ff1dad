// SPDX-License-Identifier: Apache-2.0
// CheckJsonValues: the values of a program in JSON are defined before their
// use.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_JSON_JSON_VALUES_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_JSON_JSON_VALUES_H_

#include "framework/base/status.h"
#include "static_graph/foreign/paddle_json/json_program.h"

namespace switchyard::static_graph {

// Checks that each value of the block and of those in it is defined once, and
// before operators use it, in the same block or one around it. InvalidArgument,
// with the operator's place.
absl::Status CheckJsonValues(const JsonBlock& main);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_JSON_JSON_VALUES_H_
