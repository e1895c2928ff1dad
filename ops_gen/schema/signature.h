// SPDX-License-Identifier: Apache-2.0
// The arguments and outputs of an operator as its `args:` and `output:` lines
// say them. Plain data; the parser makes it (ops_gen/parser/signature_parser.h)
// and prints it back. What the other keys of an entry add is in
// ops_gen/schema/op.h.
#ifndef SWITCHYARD_OPS_GEN_SCHEMA_SIGNATURE_H_
#define SWITCHYARD_OPS_GEN_SCHEMA_SIGNATURE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ops_gen/schema/value_type.h"

namespace switchyard::ops_gen {

// "Tensor x", "Tensor[] x".
struct InputDecl {
  std::string name;
  bool list = false;
};

// "int axis = -1".
struct AttrDecl {
  std::string name;
  ValueType type;
  std::optional<Literal> default_value;
  bool supplied = false;  // Tensors may supply it: `supplied:`.
};

// "Tensor(out)", "Tensor[](out){len(sections)}".
struct OutputDecl {
  enum class Size { kOne, kLengthOf, kValueOf };
  std::string name;
  Size size = Size::kOne;
  std::string size_argument;  // kLengthOf: a list; kValueOf: an integer.

  bool list() const { return size != Size::kOne; }
};

// An `args:` line.
struct Arguments {
  std::vector<InputDecl> inputs;
  std::vector<AttrDecl> attrs;
};

// The `args:` and `output:` lines of an entry.
struct Signature {
  Arguments arguments;
  std::vector<OutputDecl> outputs;
};

// Positions by name; -1 if there is none.
int FindInput(const Arguments& arguments, const std::string& name);
int FindAttr(const Arguments& arguments, const std::string& name);
int FindOutput(const std::vector<OutputDecl>& outputs, const std::string& name);

// All names, for guesses at mistyped ones. They are views of the declarations'.
std::vector<std::string_view> InputNames(const Arguments& arguments);
std::vector<std::string_view> AttrNames(const Arguments& arguments);
std::vector<std::string_view> OutputNames(
    const std::vector<OutputDecl>& outputs);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_SCHEMA_SIGNATURE_H_
