// SPDX-License-Identifier: Apache-2.0
#ifndef SWITCHYARD_STATIC_GRAPH_AUTODIFF_MARK_H_
#define SWITCHYARD_STATIC_GRAPH_AUTODIFF_MARK_H_

#include "static_graph/autodiff/gradient_sums.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph {

// Finds out which results of `op` need a gradient, and in `sums` requires it of
// them; call it in program order.
void Mark(const ir::Operation& op, GradientSums* sums);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_AUTODIFF_MARK_H_
