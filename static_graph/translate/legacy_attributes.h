// SPDX-License-Identifier: Apache-2.0
// ReadAttributes: the attributes of an operator in an old program description,
// as phi/legacy/legacy_call.h takes them.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_LEGACY_ATTRIBUTES_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_LEGACY_ATTRIBUTES_H_

#include <vector>

#include "framework/base/status.h"
#include "phi/legacy/legacy_call.h"
#include "static_graph/translate/program_desc.h"

namespace switchyard::static_graph {

// Refers into `op`. Unimplemented for an attribute that is a block;
// InvalidArgument for one without the value that its type promises, and for one
// whose value is read but of a kind that is not (texts in a list, blocks,
// scalars). Those without effect are passed on by name alone.
absl::StatusOr<std::vector<phi::LegacyAttrValue>> ReadAttributes(
    const translate::OpDesc& op, const phi::LegacyForm& form);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_LEGACY_ATTRIBUTES_H_
