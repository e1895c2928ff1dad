// SPDX-License-Identifier: Apache-2.0
// How composites reach operators. Each operator gets one mixin template
// (<op>.call.gen.h) that makes it a method of an operator set; a composite's
// set is the mixins of its `uses:`, with the records of eager or of the IR,
// over the executor's base class.
#ifndef SWITCHYARD_OPS_GEN_EMIT_COMPOSITE_H_
#define SWITCHYARD_OPS_GEN_EMIT_COMPOSITE_H_

#include <string>
#include <vector>

#include "ops_gen/emit/text.h"
#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

// The names by which eager's composites and the static graph's differ.
struct CompositeStyle {
  std::string constant;  // "eager_": the record is eager_relu.
  std::string record;    // "EagerOp": its type.
  std::string base;      // "EagerOpsBase"
  std::string base_header;
  std::string builder;   // "ir::Builder& builder": before a composite's args.
  std::string ops_args;  // "(&builder)": what an operator set is made from.
};
CompositeStyle EagerComposites();
CompositeStyle DialectComposites();

// <op>.call.gen.h, beside the operator's signatures.
GeneratedFile CallHeader(const Family& family, const Op& op);

// Returns true if the operator has a composite body (`composite:` or
// `invoke:`).
bool HasBody(const Op& op);

// The function that unpacks CompositeArgs and calls the body ("ReluComposite":
// several entries share a translation unit) in an unnamed namespace, after the
// declarations of the records that it needs; and the headers that it includes.
std::string CompositeName(const Op& op);
std::string CompositeFunction(const Op& op, const CompositeStyle& style);
std::vector<std::string> CompositeIncludes(const Op& op,
                                           const CompositeStyle& style);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_EMIT_COMPOSITE_H_
