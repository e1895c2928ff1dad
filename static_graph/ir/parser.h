// SPDX-License-Identifier: Apache-2.0
// Parser: the inverse of the printer (printer.h). It checks the text's form;
// what the program means is the verifier's (verifier.h).
#ifndef SWITCHYARD_STATIC_GRAPH_IR_PARSER_H_
#define SWITCHYARD_STATIC_GRAPH_IR_PARSER_H_

#include <string_view>

#include "static_graph/ir/program.h"

namespace switchyard::static_graph::ir {

// Regions inside regions, at most.
inline constexpr int kMaxRegionDepth = 64;

// The program that `text` describes. InvalidArgumentError with line and column,
// what was expected and what was found ("3:14: expected a type, found ')'") for
// malformed text, an unknown operation (unless the context allows it), a value
// used before it is defined, a name given twice, a number out of its range. Any
// bytes may be given.
absl::StatusOr<Program> Parse(Context* context, std::string_view text);

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_PARSER_H_
