// SPDX-License-Identifier: Apache-2.0
// Types and attributes from tokens: the inverse of their ToString (type.h,
// attribute.h). For the program around them see parser.h.
#ifndef SWITCHYARD_STATIC_GRAPH_IR_ATTRIBUTE_PARSER_H_
#define SWITCHYARD_STATIC_GRAPH_IR_ATTRIBUTE_PARSER_H_

#include "static_graph/ir/context.h"
#include "static_graph/ir/lexer.h"

namespace switchyard::static_graph::ir {

// Each reads from the lexer's token on and leaves it after what it read.
// InvalidArgumentError with line and column for malformed text. A dialect's
// parse() hook calls them for what its type or attribute holds.
absl::StatusOr<Type> ParseType(Lexer& lexer, Context* context);
absl::StatusOr<Attribute> ParseAttribute(Lexer& lexer, Context* context);

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_ATTRIBUTE_PARSER_H_
