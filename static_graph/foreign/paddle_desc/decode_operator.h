// SPDX-License-Identifier: Apache-2.0
// DecodeOperator: an operator out of the bytes of its message, without the
// message.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_DESC_DECODE_OPERATOR_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_DESC_DECODE_OPERATOR_H_

#include <string_view>

#include "static_graph/foreign/foreign_operator.h"

namespace switchyard::static_graph {

// Reads a serialized OpDesc (program_desc.proto), which protobuf has parsed
// once, into `op`, whose memory is used again. Of several values of a field
// that has one the last counts, as protobuf has it. Of other bytes the result
// is any operator.
void DecodeOperator(std::string_view bytes, ForeignOperator* op);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_DESC_DECODE_OPERATOR_H_
