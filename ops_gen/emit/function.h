// SPDX-License-Identifier: Apache-2.0
// The pieces of generated functions that call an operator: parameter lists,
// result types, the arrays that a call is packed into. The functional API and
// eager differ in the tensor's type and in what they call.
#ifndef SWITCHYARD_OPS_GEN_EMIT_FUNCTION_H_
#define SWITCHYARD_OPS_GEN_EMIT_FUNCTION_H_

#include <string>
#include <vector>

#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

// The points in which generated functions differ.
struct FunctionStyle {
  std::string tensor;        // "DenseTensor", "Tensor".
  bool defaults = false;     // A declaration; a definition has none.
  bool writes = false;       // Inputs that outputs are written into are `T&`.
  bool intermediate = true;  // Intermediate outputs are returned.
};

// "const Tensor& x", "int axis = -1", ...
std::vector<std::string> Parameters(const Op& op, const FunctionStyle& style);

// The outputs that a function of this style returns, by position.
std::vector<size_t> Returned(const Op& op, const FunctionStyle& style);

// "Tensor", "std::vector<Tensor>", "DropoutResult".
std::string ResultType(const Op& op, const FunctionStyle& style);

// The struct that ResultType names where there are several; "" otherwise.
std::string ResultStruct(const Op& op, const FunctionStyle& style);

// Returns true if an input or an output is a list.
bool HasLists(const Op& op);

// The pointers of a call without lists: "&x",
// "rng.has_value() ? &*rng : nullptr".
std::vector<std::string> InputPointers(const Op& op);
std::vector<std::string> InputNames(const Op& op);
std::vector<std::string> AttrNames(const Op& op);

// "  const AttrRef attrs[] = {...};\n", or nothing; and how to name the array
// in a call ("attrs" or "{}").
std::string AttrArray(const Op& op);
std::string AttrArrayName(const Op& op);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_EMIT_FUNCTION_H_
