// SPDX-License-Identifier: Apache-2.0
// The definitions of the builtin types and attributes, with which every Context
// begins. Those of other dialects come through Context::Register.
#ifndef SWITCHYARD_STATIC_GRAPH_IR_BUILTIN_DEFINITIONS_H_
#define SWITCHYARD_STATIC_GRAPH_IR_BUILTIN_DEFINITIONS_H_

#include <string>

#include "static_graph/ir/attribute.h"
#include "static_graph/ir/type.h"

namespace switchyard::static_graph::ir {

// "tensor".
TypeDefinition TensorDefinition();
// "value", "strings", "symbol" and "constant". They are literals: the names
// stand in saved programs alone.
AttributeDefinition ValueDefinition();
AttributeDefinition StringsDefinition();
AttributeDefinition SymbolDefinition();
AttributeDefinition ConstantDefinition();

// Print them, for their definitions (attribute_text.cc).
std::string PrintTensor(Type type);
std::string PrintValue(Attribute attribute);
std::string PrintStrings(Attribute attribute);
std::string PrintSymbol(Attribute attribute);
std::string PrintConstant(Attribute attribute);

// Reads a tensor type after its word (attribute_parser.cc).
absl::StatusOr<Type> ParseTensor(Lexer& lexer, Context* context);
// Reads post_ops[relu, clip(0.0, 6.0)].
absl::StatusOr<Attribute> ParsePostOpsValue(Lexer& lexer, Context* context);

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_BUILTIN_DEFINITIONS_H_
