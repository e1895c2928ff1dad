// SPDX-License-Identifier: Apache-2.0
// WithoutCallStack: the bytes of an operator, without where in Python it was
// called.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_DESC_CALL_STACKS_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_DESC_CALL_STACKS_H_

#include <string>
#include <string_view>

namespace switchyard::static_graph {

// Returns the bytes of a serialized OpDesc (program_desc.proto) without its
// attributes `op_callstack`, which are texts that nothing reads and often nine
// tenths of the file: `op` itself if it has none, else what is put into `rest`,
// which is empty before. Attributes of this name that are not lists of texts
// stay, and from where the bytes are no message on they are copied as they are,
// so that who parses them finds what is wrong.
std::string_view WithoutCallStack(std::string_view op, std::string* rest);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_DESC_CALL_STACKS_H_
