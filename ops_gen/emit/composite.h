// SPDX-License-Identifier: Apache-2.0
// How composites reach operators. Each operator gets a mixin (<op>.call.gen.h)
// that makes it a method of an operator set; a composite's set is the mixins of
// its `uses:` over the executor's base class. Eager and the static graph have
// the same text over other types, which CompositeStyle names.
#ifndef SWITCHYARD_OPS_GEN_EMIT_COMPOSITE_H_
#define SWITCHYARD_OPS_GEN_EMIT_COMPOSITE_H_

#include <string>
#include <vector>

#include "ops_gen/emit/text.h"
#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

// The types by which eager's composites and the static graph's differ.
struct CompositeStyle {
  std::string folder;      // "eager/ops/"
  std::string name_space;  // "switchyard::eager"
  std::string constant;    // "eager_": the record is eager_relu.
  std::string record;      // "EagerOp": its type.
  std::string record_header;
  std::string value;      // "Tensor"
  std::string parameter;  // "const Tensor&"
  std::string list;       // "const TensorList&"
  std::string pointer;    // "&": how a value becomes an input of a call.
  std::string base;       // "EagerOpsBase"
  std::string base_header;
  std::string element;   // "const Tensor*": what an ArgList of inputs holds.
  std::string builder;   // "ir::Builder& builder": before a composite's args.
  std::string ops_args;  // "(&builder)": what an operator set is made from.
};
CompositeStyle EagerComposites();
CompositeStyle DialectComposites();

// <op>.call.gen.h.
GeneratedFile CallHeader(const Family& family, const Op& op,
                         const CompositeStyle& style);

// Returns true if the operator has a composite body (`composite:` or
// `invoke:`).
bool HasBody(const Op& op);

// The function that unpacks CompositeArgs and calls the body ("ReluComposite":
// several entries share a translation unit), and the headers that it includes.
std::string CompositeName(const Op& op);
std::string CompositeFunction(const Op& op, const CompositeStyle& style);
std::vector<std::string> CompositeIncludes(const Op& op,
                                           const CompositeStyle& style);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_EMIT_COMPOSITE_H_
