// SPDX-License-Identifier: Apache-2.0
// The parts of a program in JSON, each by itself: types, attributes, operators.
// Where they stand is static_graph/foreign/paddle_json/json_program.h.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_JSON_JSON_NODES_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_JSON_JSON_NODES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "static_graph/foreign/paddle_json/json_node.h"
#include "static_graph/foreign/paddle_json/json_program.h"

namespace switchyard::static_graph {

// The items of a list of attributes' values: one typed list, not a node each.
class JsonItems {
 public:
  // Adds an item. An error, or a kind that is none of ours, is what Finish()
  // returns.
  void Add(absl::StatusOr<Attribute> item, std::string unknown);
  bool empty() const { return count_ == 0 && status_.ok() && unknown_.empty(); }
  // Returns how many texts there are, which take most.
  size_t num_texts() const { return texts_.size(); }

  // Returns the items as a list of their kind, an empty one as one of integers.
  // `unknown` becomes the kind of one that we have none like, or that they are
  // of several kinds.
  absl::StatusOr<Attribute> Finish(std::string* unknown);

 private:
  size_t count_ = 0;
  absl::Status status_;
  std::string unknown_;
  bool mixed_ = false;
  AttrType type_ = AttrType::kInt64;  // Of the first.
  std::vector<int64_t> integers_;     // Bools too.
  std::vector<float> floats_;
  std::vector<double> doubles_;
  std::vector<std::string> texts_;
};

// A value of an attribute: {"#": kind, "D": data}.
struct JsonAttrValue {
  absl::StatusOr<Attribute> value = Attribute();
  std::string unknown;  // As of JsonAttr.
};

// Read one part; InvalidArgument for what is none, naming the key. Of lists
// whose items were read before, the nodes have what was no object alone.

// `items` are the objects of "D", `depth` lists are around them.
JsonAttrValue ReadJsonAttrValue(const JsonNode& node, int depth,
                                JsonItems* items);
// {"N": name, "AT": value}
absl::StatusOr<JsonAttr> ReadJsonAttr(const JsonNode& node,
                                      JsonAttrValue value);
// {"%": number}
absl::StatusOr<int64_t> ReadJsonOperand(const JsonNode& node);
// {"%": number, "TT": type}, or the same under "#".
absl::StatusOr<JsonValue> ReadJsonValue(const JsonNode& node,
                                        const char* number_key);
// Reads the rest of an operator, whose operands, results and attributes `op`
// has: its name, and what a parameter is.
absl::Status ReadJsonOperator(const JsonNode& node, JsonOperator* op);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_JSON_JSON_NODES_H_
