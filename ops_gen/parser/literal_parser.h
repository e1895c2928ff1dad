// SPDX-License-Identifier: Apache-2.0
// Literals of the grammar: true, -1, 0.5, "none", {0, 1}, float32, cpu. A
// literal is checked against its type: an int64_t fits, a dtype exists.
#ifndef SWITCHYARD_OPS_GEN_PARSER_LITERAL_PARSER_H_
#define SWITCHYARD_OPS_GEN_PARSER_LITERAL_PARSER_H_

#include <string>
#include <string_view>

#include "ops_gen/parser/scanner.h"
#include "ops_gen/schema/value_type.h"

namespace switchyard::ops_gen {

// Reads one literal of `type`; the scanner stops after it. The literal ends
// before a character of `ends`.
absl::StatusOr<Literal> ScanLiteral(ValueType type, std::string_view ends,
                                    Scanner& scanner);
// The whole of `text`.
absl::StatusOr<Literal> ParseLiteral(ValueType type, std::string_view text);

// PrintLiteral(ParseLiteral(type, text)) == text.
std::string PrintLiteral(const Literal& literal);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_PARSER_LITERAL_PARSER_H_
