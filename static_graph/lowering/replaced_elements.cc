// SPDX-License-Identifier: Apache-2.0
#include "static_graph/lowering/replaced_elements.h"

#include "static_graph/dialect/legacy_set_value.gen.h"
#include "static_graph/dialect/put_along_axis.gen.h"

namespace switchyard::static_graph {

bool PutsAlongAxis(std::string_view name) {
  return name == PutAlongAxisOp::kOp.name;
}

bool ReplacesElements(std::string_view name) {
  return PutsAlongAxis(name) || name == LegacySetValueOp::kOp.name;
}

}  // namespace switchyard::static_graph
