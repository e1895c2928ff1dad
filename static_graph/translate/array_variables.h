// SPDX-License-Identifier: Apache-2.0
// Array variables of old programs. No operator makes one: it is empty until
// the first write, and a write updates it in place.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ARRAY_VARIABLES_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ARRAY_VARIABLES_H_

#include <string>

#include "framework/base/hash_map.h"
#include "framework/base/status.h"
#include "phi/legacy/legacy_form.h"
#include "static_graph/ir/builder.h"
#include "static_graph/translate/program_desc.h"

namespace switchyard::static_graph {

// The variables of a block by name.
using Variables = HashMap<std::string, const translate::VarDesc*>;

// Returns the description of an array; null for another variable.
const translate::VarDesc* FindArray(const Variables& variables,
                                    const std::string& name);

// Returns the input of `form` that is called as an output of it: what the
// variable of that output holds before. Null if there is none.
const phi::LegacySlot* UpdatedSlot(const phi::LegacyForm& form);

// Returns `op` with the array that it updates as an input too. `form` has an
// UpdatedSlot().
translate::OpDesc WithPrevious(const translate::OpDesc& op,
                               const phi::LegacyForm& form,
                               const Variables& variables);

// Creates what `variable`, an array, holds before the first write: no element,
// of the type that is described.
absl::StatusOr<ir::Value> BuildEmptyArray(ir::Builder& builder,
                                          const translate::VarDesc& variable);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ARRAY_VARIABLES_H_
