// SPDX-License-Identifier: Apache-2.0
#ifndef SWITCHYARD_STATIC_GRAPH_AUTODIFF_BACKWARD_CALL_H_
#define SWITCHYARD_STATIC_GRAPH_AUTODIFF_BACKWARD_CALL_H_

#include "framework/base/status.h"
#include "static_graph/autodiff/gradient_sums.h"
#include "static_graph/dialect/op_call.h"

namespace switchyard::static_graph {

// Appends a call of the backward operator of `call`, whose operator has one,
// and adds its results to `sums`. GradInfo says which arguments it takes. Does
// nothing if no gradient of an input of `call` is wanted.
absl::Status BuildBackwardCall(const OpCall& call, GradientSums* sums);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_AUTODIFF_BACKWARD_CALL_H_
