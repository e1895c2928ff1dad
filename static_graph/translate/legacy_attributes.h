// SPDX-License-Identifier: Apache-2.0
// ReadAttributes: the attributes of an operator in an old program description,
// as phi/legacy/forms/legacy_call.h takes them.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_LEGACY_ATTRIBUTES_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_LEGACY_ATTRIBUTES_H_

#include <vector>

#include "framework/base/status.h"
#include "phi/legacy/forms/legacy_call.h"
#include "static_graph/foreign/foreign_operator.h"

namespace switchyard::static_graph {

// Refers into `op`. An attribute that is there again with the same value counts
// once. Unimplemented for an attribute that is a block;
// InvalidArgument for one without the value that its type promises, and for one
// whose value is read but of a kind that is not (blocks).
// Those without effect are passed on by name alone.
absl::StatusOr<std::vector<phi::LegacyAttrValue>> ReadAttributes(
    const ForeignOperator& op, const phi::LegacyForm& form);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_LEGACY_ATTRIBUTES_H_
