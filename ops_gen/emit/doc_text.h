// SPDX-License-Identifier: Apache-2.0
// The sentences about an operator that its C++ comment and its Python docstring
// share: dtypes, and the shape of the result.
#ifndef SWITCHYARD_OPS_GEN_EMIT_DOC_TEXT_H_
#define SWITCHYARD_OPS_GEN_EMIT_DOC_TEXT_H_

#include <string>

#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

// Returns the dtypes that some kernel of `op` takes, in the usual order:
// "float32, float64"; "all of them" if none is missing; "" for an operator
// without kernels, which is made of others.
std::string DtypesText(const Op& op);

// Returns what InferMeta says of the result, for the rules that many operators
// share: "of the shape and dtype of `x`"; "" for other rules, of which the
// operator's own sentence speaks.
std::string ResultText(const Op& op);

// Returns the names of the inputs that are converted to one dtype first:
// "`x`, `y`"; "" if there are none.
std::string PromotedText(const Op& op);

// Returns the comment of an operator's C++ function: its sentence and all of
// the above, as lines of at most 80 columns.
std::string FunctionComment(const Op& op);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_EMIT_DOC_TEXT_H_
