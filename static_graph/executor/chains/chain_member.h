// SPDX-License-Identifier: Apache-2.0
// MayBeInChain, FirstReducedAxis: which launches an elementwise chain may do
// block by block.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_CHAINS_CHAIN_MEMBER_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_CHAINS_CHAIN_MEMBER_H_

#include <optional>

#include "static_graph/executor/shape_specialization.h"

namespace switchyard::static_graph {

// True if the launch's kernel computes each element of its one result, which
// is contiguous and in memory of the run's own, from the elements at the same
// place of inputs that broadcast to it; then it does so over parts of them as
// well. True for our own kernels on the CPU alone: they promise that bits
// depend on no position.
bool MayBeInChain(const ShapeSpecialization& made, const Step& step);

// Returns the first axis over which the launch reduces its one input, which is
// contiguous, if its kernel does so over parts of it along the axes before that
// one as well: the terms of an element keep their order. True for our own
// kernels of sums, means and extremes on the CPU. Nullopt for any other launch.
std::optional<int> FirstReducedAxis(const ShapeSpecialization& made,
                                    const Step& step);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_CHAINS_CHAIN_MEMBER_H_
