// SPDX-License-Identifier: Apache-2.0
// The table of sy_opt: all passes, and what else turns a program into a
// program, in the form of a pass:
//   gradients  appends the gradients of the first fetch for each feed and state
//              of a floating dtype, fetched as "grad.<name>"
//   lower      the dialect `kernel` for the kernels that the binary links
// Unlike passes these change what a program fetches or which dialect it is in.
#ifndef SWITCHYARD_STATIC_GRAPH_TOOLS_CONVERSIONS_H_
#define SWITCHYARD_STATIC_GRAPH_TOOLS_CONVERSIONS_H_

#include <vector>

#include "static_graph/pass/pass_info.h"

namespace switchyard::static_graph {

std::vector<PassInfo> PassesAndConversions();

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TOOLS_CONVERSIONS_H_
