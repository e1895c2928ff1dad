// SPDX-License-Identifier: Apache-2.0
// The parts of a program in JSON, each by itself: types, attributes, operators.
// Where they stand is static_graph/translate/json/json_program.h.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_JSON_NODES_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_JSON_NODES_H_

#include "framework/base/status.h"
#include "nlohmann/json.hpp"
#include "static_graph/translate/json/json_program.h"

namespace switchyard::static_graph {

// Read one part; InvalidArgument for what is none, naming the key.
absl::StatusOr<JsonType> ReadJsonType(const nlohmann::json& node);
absl::StatusOr<JsonAttr> ReadJsonAttr(const nlohmann::json& node);
// {"%": number, "TT": type}, or the same under "#".
absl::StatusOr<JsonValue> ReadJsonValue(const nlohmann::json& node,
                                        const char* number_key);
// An operator without its blocks and its index.
absl::StatusOr<JsonOperator> ReadJsonOperator(const nlohmann::json& node);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_JSON_NODES_H_
