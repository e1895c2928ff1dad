// SPDX-License-Identifier: Apache-2.0
// DecodeNode: a NodeProto as a ForeignOperator.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_DECODE_NODE_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_DECODE_NODE_H_

#include <string>
#include <string_view>

#include "framework/base/hash_map.h"
#include "static_graph/foreign/foreign_operator.h"

namespace switchyard::static_graph {

// Returns the name of a domain in one spelling: "" for "ai.onnx".
std::string_view PlainDomain(std::string_view domain);

// Returns the name under which a function is found.
std::string FunctionKey(std::string_view domain, std::string_view name,
                        std::string_view overload);

// Reads an attribute; `blocks` as below.
void DecodeAttribute(std::string_view message,
                     const HashMap<const char*, int>& blocks,
                     ForeignAttr* attr);

// Reads a node, whose bytes are sound. `blocks` has the number of the block of
// each graph in an attribute, by where its bytes begin.
void DecodeNode(std::string_view node, const HashMap<const char*, int>& blocks,
                ForeignOperator* op);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_DECODE_NODE_H_
