// SPDX-License-Identifier: Apache-2.0
// The backward of operations with regions. Each adds to the sums of the values
// that such an operation reads, if its results have sums. Unimplemented where a
// region can't be computed again (recompute.h).
#ifndef SWITCHYARD_STATIC_GRAPH_AUTODIFF_REVERSE_REGIONS_H_
#define SWITCHYARD_STATIC_GRAPH_AUTODIFF_REVERSE_REGIONS_H_

#include "framework/base/status.h"
#include "static_graph/autodiff/gradient_sums.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph {

absl::Status ReverseIf(const ir::Operation& op, GradientSums* sums);
absl::Status ReverseWhile(const ir::Operation& op, GradientSums* sums);
absl::Status ReverseCustomGradient(const ir::Operation& op, GradientSums* sums);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_AUTODIFF_REVERSE_REGIONS_H_
