// SPDX-License-Identifier: Apache-2.0
// The sentences about an operator that its C++ comment and its Python docstring
// share: dtypes, the shape of the result, and what is refused.
#ifndef SWITCHYARD_OPS_GEN_EMIT_DOC_TEXT_H_
#define SWITCHYARD_OPS_GEN_EMIT_DOC_TEXT_H_

#include <string>

#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

// Returns the dtypes that some kernel of `op` takes, in the usual order:
// "float32, float64"; "all of them" if none is missing; "" for an operator
// without kernels, which is made of others.
std::string DtypesText(const Op& op);

// Returns what the result is, a sentence about each output: "The result is of
// the shape and dtype of `x`."; "" for a gradient of which nothing says it.
// Intermediate outputs are left out unless asked for.
std::string ResultText(const Op& op, bool intermediate);

// Returns the names of the inputs that are converted to one dtype first:
// "`x`, `y`"; "" if there are none.
std::string PromotedText(const Op& op);

// Returns which dtypes and kinds of tensors the entry's kernels refuse: "`x` is
// not of one of these dtypes or `y` is not sparse_coo"; "" for none.
std::string RefusedText(const Op& op);

// How a C++ function tells of an error.
enum class ErrorStyle { kThrows, kReturnsStatus };

// Returns the comment of an operator's C++ function: its sentence and all of
// the above, as lines of at most 80 columns.
std::string FunctionComment(const Op& op, ErrorStyle errors);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_EMIT_DOC_TEXT_H_
