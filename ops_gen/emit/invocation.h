// SPDX-License-Identifier: Apache-2.0
// Small questions about an Op that several emitters ask: `invoke:` as C++,
// in-place forms.
#ifndef SWITCHYARD_OPS_GEN_EMIT_INVOCATION_H_
#define SWITCHYARD_OPS_GEN_EMIT_INVOCATION_H_

#include <string>
#include <vector>

#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

// The arguments of the invoked operator: names as they are, literals as C++.
std::vector<std::string> InvokedArguments(const Op& op);

// An operator that always updates its inputs.
bool EndsInUnderscore(const Op& op);

// An operator that also has an in-place form, `relu_` beside `relu`.
bool HasInplaceForm(const Op& op);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_EMIT_INVOCATION_H_
