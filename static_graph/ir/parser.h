// SPDX-License-Identifier: Apache-2.0
// Parser: the inverse of the printer (printer.h). It checks the text's form;
// the verifier (verifier.h) checks what the program means.
#ifndef SWITCHYARD_STATIC_GRAPH_IR_PARSER_H_
#define SWITCHYARD_STATIC_GRAPH_IR_PARSER_H_

#include <string_view>

#include "static_graph/ir/program.h"

namespace switchyard::static_graph::ir {

// The greatest depth of regions inside regions.
inline constexpr int kMaxRegionDepth = 64;

// Returns the program that `text` describes. InvalidArgumentError with line and
// column, what was expected and what was found ("3:14: expected a type, found
// ')'") for malformed text, an unknown operation (unless the context allows
// it), a value used before it is defined, a name given twice, a number out of
// its range. Any bytes may be given.
absl::StatusOr<Program> Parse(Context* context, std::string_view text);

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_PARSER_H_
