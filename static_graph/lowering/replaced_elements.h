// SPDX-License-Identifier: Apache-2.0
// Operators whose result is their first input with some elements replaced. Our
// own kernels on the CPU may write those elements where they are, and check all
// that they refuse before they write: a cache of which a program replaces one
// place is neither copied nor read.
#ifndef SWITCHYARD_STATIC_GRAPH_LOWERING_REPLACED_ELEMENTS_H_
#define SWITCHYARD_STATIC_GRAPH_LOWERING_REPLACED_ELEMENTS_H_

#include <string_view>

namespace switchyard::static_graph {

// Returns whether the operator `name` replaces elements at indices, its second
// input, along an axis, its first attribute.
bool PutsAlongAxis(std::string_view name);

// Returns whether the operator `name` replaces elements, at indices or in a
// slice, whose axes, starts, ends and steps are its first attributes.
bool ReplacesElements(std::string_view name);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_LOWERING_REPLACED_ELEMENTS_H_
