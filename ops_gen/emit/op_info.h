// SPDX-License-Identifier: Apache-2.0
// The definitions of an OpInfo (with its InferMeta thunk) and of a GradInfo as
// constant data. Where they are put is ops_gen/emit/signatures.h's business.
#ifndef SWITCHYARD_OPS_GEN_EMIT_OP_INFO_H_
#define SWITCHYARD_OPS_GEN_EMIT_OP_INFO_H_

#include <string>

#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

std::string OpInfoDefinition(const Family& family, const Op& op);
std::string GradInfoDefinition(const Op& backward);

// Returns true if a default is inf or nan.
bool NeedsLimits(const Op& op);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_EMIT_OP_INFO_H_
