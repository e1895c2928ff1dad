// SPDX-License-Identifier: Apache-2.0
// AllPasses: the table of all passes. A new pass is a header and source pair
// here, or in static_graph/fusion, a row in passes.cc and a text test in
// testdata/ named after it.
#ifndef SWITCHYARD_STATIC_GRAPH_PASSES_PASSES_H_
#define SWITCHYARD_STATIC_GRAPH_PASSES_PASSES_H_

#include "absl/types/span.h"
#include "static_graph/pass/pass_info.h"

namespace switchyard::static_graph {

// In the order in which they are best run.
absl::Span<const PassInfo> AllPasses();

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PASSES_PASSES_H_
