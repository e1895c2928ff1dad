// SPDX-License-Identifier: Apache-2.0
// OperatorSize: what an operator takes in memory.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_DESC_MESSAGE_SIZE_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_DESC_MESSAGE_SIZE_H_

#include <cstddef>
#include <string_view>

namespace switchyard::static_graph {

// Returns about how many bytes protobuf's message of an operator takes, beside
// the texts in it, together with what the translation makes of it. An empty
// attribute is two bytes in the file and more than two hundred in memory.
size_t OperatorSize(std::string_view bytes);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_DESC_MESSAGE_SIZE_H_
