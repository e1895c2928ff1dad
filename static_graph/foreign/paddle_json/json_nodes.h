// SPDX-License-Identifier: Apache-2.0
// The parts of a program in JSON, each by itself: types, attributes, operators.
// Where they stand is static_graph/foreign/paddle_json/json_reader.cc.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_JSON_JSON_NODES_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_JSON_JSON_NODES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "framework/base/status.h"
#include "static_graph/foreign/foreign_operator.h"
#include "static_graph/foreign/paddle_json/json_node.h"
#include "static_graph/foreign/paddle_json/json_program.h"

namespace switchyard::static_graph {

// The items of a list of attributes' values: one typed list, not a node each.
class JsonItems {
 public:
  void Clear();
  // Adds an item. Finish() leaves the first error, else the first kind that is
  // none of ours.
  void Add(const absl::Status& status, const ForeignAttr& item);
  bool empty() const {
    return kind_ == ForeignKind::kNone && status_.ok() && !is_unknown();
  }
  // Returns how many texts there are, which take most.
  size_t num_texts() const { return list_.texts().size(); }

  // Makes of `value` a list of the items' kind, of integers where there are
  // none; without a value where we have none like it, or they are of several
  // kinds.
  absl::Status Finish(ForeignAttr* value);

 private:
  bool is_unknown() const {
    return list_.kind == ForeignKind::kNone && !list_.text().empty();
  }

  absl::Status status_;
  ForeignKind kind_ = ForeignKind::kNone;  // Of all items so far.
  ForeignAttr list_;
};

// An operator that has begun and not ended. One is used for many.
struct OpenJsonOperator {
  ForeignOperator op;
  // The attribute that has begun and has a value, and what is wrong with it.
  ForeignAttr* attr = nullptr;
  absl::Status attr_status;
  ForeignAttr item;  // Of a list.
  std::vector<int> blocks;
  size_t num_texts = 0;  // In lists of its attributes.
  size_t taken = 0;      // Bytes of its parts.

  void Begin() {
    op.Clear();
    op.inputs.Add();
    op.outputs.Add();
    attr = nullptr;
    blocks.clear();
    num_texts = taken = 0;
  }
};

// Read one part; InvalidArgument for what is none, naming the key. Of lists
// whose items were read before, the nodes have what was no object alone.

// Reads a value of an attribute, {"#": kind, "D": data}. `items` are the
// objects of "D", `depth` lists are around them. A kind that is none of ours
// becomes the text of one without a value.
absl::Status ReadJsonAttrValue(const JsonNode& node, size_t depth,
                               JsonItems* items, ForeignAttr* value);
// Reads the name of an attribute, {"N": name, "AT": value}, which has its
// value.
absl::Status ReadJsonAttr(const JsonNode& node, absl::Status value_status,
                          ForeignAttr* attr);
// {"%": number}
absl::StatusOr<int64_t> ReadJsonOperand(const JsonNode& node);
// {"%": number, "TT": type}, or the same under "#".
absl::StatusOr<JsonValue> ReadJsonValue(const JsonNode& node,
                                        const char* number_key);
// Reads the rest of an operator, which has its operands, results and
// attributes: its name, and what a parameter is, whose result is `parameter`.
absl::Status ReadJsonOperator(const JsonNode& node, ForeignOperator* op,
                              std::optional<JsonValue>* parameter);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_JSON_JSON_NODES_H_
