// SPDX-License-Identifier: Apache-2.0
// CapturedValues: the values that the regions of an operation use from around
// it. An inner block may use any value of the blocks around it, and no list of
// them is kept.
#ifndef SWITCHYARD_STATIC_GRAPH_IR_CAPTURES_H_
#define SWITCHYARD_STATIC_GRAPH_IR_CAPTURES_H_

#include <vector>

#include "absl/types/span.h"
#include "static_graph/ir/block.h"

namespace switchyard::static_graph::ir {

// Returns the values from around `op` that `blocks`, which are blocks of `op`,
// and the blocks inside them use: each value once, in the order of the text.
std::vector<Value> CapturedValues(const Operation& op,
                                  absl::Span<const Block* const> blocks);

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_CAPTURES_H_
