// SPDX-License-Identifier: Apache-2.0
// MapOperator: an operator of an old program as a call of ours, as far as that
// can be told without its tensors.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_MAP_OPERATOR_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_MAP_OPERATOR_H_

#include <vector>

#include "framework/base/status.h"
#include "phi/legacy/call_options.h"
#include "phi/legacy/legacy_call.h"
#include "phi/legacy/legacy_form.h"
#include "static_graph/translate/program_desc.h"

namespace switchyard::static_graph {

// Our call, in terms of the old operator's slots.
struct MappedOperator {
  phi::LegacyInputs inputs;
  std::vector<Attribute> attributes;  // Those that a slot supplies: a default.
  phi::CallOptions options;
};

// ArgumentError or TypeError for slots and attributes that `form` lacks or
// forbids, as MapInputs, ReadAttributes, MapAttributes and ReadCallOptions
// report; Unimplemented for an operator that draws random numbers, since
// programs have no generator.
absl::StatusOr<MappedOperator> MapOperator(const translate::OpDesc& op,
                                           const phi::LegacyForm& form);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_MAP_OPERATOR_H_
