// SPDX-License-Identifier: Apache-2.0
// Recomputing regions: what the backward of cf.if and of cf.while share. A
// region can't see into another, so both compute the forward region again and
// go backwards through the copy. Recomputed values have the same bits:
// operators are pure, random ones too (their state is an operand).
#ifndef SWITCHYARD_STATIC_GRAPH_AUTODIFF_RECOMPUTE_H_
#define SWITCHYARD_STATIC_GRAPH_AUTODIFF_RECOMPUTE_H_

#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "static_graph/autodiff/gradient_sums.h"
#include "static_graph/ir/clone.h"

namespace switchyard::static_graph {

// Unimplemented, naming it, if an operation inside `op` is not pure:
// recomputing would repeat its side effect.
absl::Status CheckRecomputable(const ir::Operation& op);

// The values that `blocks` capture (static_graph/ir/captures.h) of which `sums`
// requires gradients.
std::vector<ir::Value> RequiredCaptures(
    const ir::Operation& op, absl::Span<const ir::Block* const> blocks,
    const GradientSums& sums);

// Appends copies of the block's operations, its terminator aside.
std::vector<ir::Operation*> CloneOperations(const ir::Block& block,
                                            ir::Builder& builder,
                                            ir::ValueMap* map);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_AUTODIFF_RECOMPUTE_H_
