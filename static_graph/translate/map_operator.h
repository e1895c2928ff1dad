// SPDX-License-Identifier: Apache-2.0
// MapOperator: an operator of an old program as a call of ours, as far as that
// can be told without its tensors.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_MAP_OPERATOR_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_MAP_OPERATOR_H_

#include <vector>

#include "framework/base/status.h"
#include "phi/legacy/forms/call_options.h"
#include "phi/legacy/forms/legacy_call.h"
#include "phi/legacy/forms/legacy_form.h"
#include "static_graph/foreign/foreign_operator.h"

namespace switchyard::static_graph {

// The output XShape of reshape2 and its like. Paddle's gradients read the
// extents of X from it; a gradient here takes X itself.
inline constexpr char kShapeSlot[] = "XShape";
inline constexpr char kShapedSlot[] = "X";

// Our call, in terms of the old operator's slots.
struct MappedOperator {
  phi::LegacyInputs inputs;
  std::vector<Attribute> attributes;  // Those that a slot supplies: a default.
  phi::CallOptions options;
  bool draws = false;  // Random numbers, from its input `rng`.
};

// ArgumentError or TypeError for slots and attributes that `form` lacks or
// forbids, as MapInputs, ReadAttributes, MapAttributes and ReadCallOptions
// report. A slot kShapeSlot becomes the input X of the call.
absl::StatusOr<MappedOperator> MapOperator(const ForeignOperator& op,
                                           const phi::LegacyForm& form);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_MAP_OPERATOR_H_
