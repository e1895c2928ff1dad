// SPDX-License-Identifier: Apache-2.0
// The InferMeta thunk of an operator: the call of a hand-written function with
// what it takes of an InferMetaContext, or, for a gradient by rule
// (`infer_meta: gradient`), that of its forward operator's function.
#ifndef SWITCHYARD_OPS_GEN_EMIT_INFER_META_H_
#define SWITCHYARD_OPS_GEN_EMIT_INFER_META_H_

#include <string>
#include <vector>

#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

// Returns the thunk's definition; "" for an operator without InferMeta.
std::string InferMetaThunk(const Family& family, const Op& op);

// Returns how the operator's record refers to it: "&InferSoftmax", "nullptr".
std::string InferMetaPointer(const Op& op);

// Returns the headers that the definition needs.
std::vector<std::string> InferMetaIncludes(const Op& op);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_EMIT_INFER_META_H_
