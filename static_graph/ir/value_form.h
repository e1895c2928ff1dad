// SPDX-License-Identifier: Apache-2.0
// CheckValueForm: that a program is in value form.
#ifndef SWITCHYARD_STATIC_GRAPH_IR_VALUE_FORM_H_
#define SWITCHYARD_STATIC_GRAPH_IR_VALUE_FORM_H_

#include "framework/base/status.h"
#include "static_graph/ir/block.h"

namespace switchyard::static_graph::ir {

// Returns the first operation of `block`, however deep inside, that has the
// trait InplaceVariantTrait; null if a value is only ever what its operation
// computed, which is what value form means.
const Operation* FindInplaceVariant(const Block& block);

// FailedPrecondition, with the operation's name and location, unless `block` is
// in value form. Passes, autodiff and lowering call it: they take every use of
// a value for a use of the same elements.
absl::Status CheckValueForm(const Block& block);

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_VALUE_FORM_H_
