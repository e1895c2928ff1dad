// SPDX-License-Identifier: Apache-2.0
// The call of another operator (`invoke:`) as C++.
#ifndef SWITCHYARD_OPS_GEN_EMIT_INVOKED_ARGUMENTS_H_
#define SWITCHYARD_OPS_GEN_EMIT_INVOKED_ARGUMENTS_H_

#include <string>
#include <vector>

#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

// The arguments of the invoked operator: names as they are, literals as C++.
std::vector<std::string> InvokedArguments(const Op& op);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_EMIT_INVOKED_ARGUMENTS_H_
