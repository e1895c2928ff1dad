// SPDX-License-Identifier: Apache-2.0
// OnnxSchema: what ONNX says of a version of one of its operators. The facts
// are schema_facts.txt beside this; nothing here says what an operator
// computes.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_SCHEMA_FACTS_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_SCHEMA_FACTS_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace switchyard::static_graph {

// An attribute: its name, and the letter of its type
// (static_graph/foreign/onnx/make_schema_facts.py).
struct OnnxSchemaAttribute {
  std::string_view name;
  char type = '\0';
  bool required = false;
};

// An input or output.
struct OnnxSchemaPort {
  std::string_view name;
  std::string_view dtypes;  // A letter each.
  bool optional = false;
  bool repeats = false;
};

// A version of an operator. Constant data, for any thread.
struct OnnxSchema {
  std::string_view domain;
  std::string_view name;
  int64_t version = 0;  // The first opset in which it holds.
  std::vector<OnnxSchemaPort> inputs;
  std::vector<OnnxSchemaPort> outputs;
  std::vector<OnnxSchemaAttribute> attributes;

  const OnnxSchemaAttribute* attribute(std::string_view name) const;
};

// Returns what holds of an operator in an opset of its domain; null for an
// operator that the opset lacks.
const OnnxSchema* FindOnnxSchema(std::string_view domain, std::string_view name,
                                 int64_t opset);
// Returns the newest opset of a domain that is known; -1 for another domain.
int64_t NewestOnnxOpset(std::string_view domain);
// Returns all versions of all operators, sorted by domain, name and version.
const std::vector<OnnxSchema>& AllOnnxSchemas();

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_SCHEMA_FACTS_H_
