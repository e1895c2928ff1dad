// SPDX-License-Identifier: Apache-2.0
// How an executor runs the body of a composite (bodies.h): with its own records
// of the operators of `uses:`.
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
  std::string header;    // Has RunBody.
  std::string builder;   // "ir::Builder& builder": before a composite's args.
};
CompositeStyle EagerComposites();
CompositeStyle DialectComposites();

// Returns true if the operator has a composite body (`composite:` or
// `invoke:`).
bool HasBody(const Op& op);

// The operators that the body calls, and where the body's function is declared.
std::vector<std::string> UsedOps(const Op& op);
std::string BodyName(const Op& op);
std::string BodyHeaderPath(const std::string& op);

// The function that runs the body in an executor ("ReluComposite": several
// entries share a translation unit) in an unnamed namespace, after the
// declarations of the records that it needs; and the headers that it includes.
std::string CompositeName(const Op& op);
std::string CompositeFunction(const Op& op, const CompositeStyle& style);
std::vector<std::string> CompositeIncludes(const Op& op,
                                           const CompositeStyle& style);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_EMIT_COMPOSITE_H_
