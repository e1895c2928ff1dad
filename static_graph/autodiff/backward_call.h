// SPDX-License-Identifier: Apache-2.0
#ifndef SWITCHYARD_STATIC_GRAPH_AUTODIFF_BACKWARD_CALL_H_
#define SWITCHYARD_STATIC_GRAPH_AUTODIFF_BACKWARD_CALL_H_

#include "framework/base/status.h"
#include "static_graph/autodiff/gradient_sums.h"
#include "static_graph/dialect/op_call.h"

namespace switchyard::static_graph {

// Appends a call of the backward operator of `call`, whose operator has one, on
// what its gradient's record says (GradInfo), and adds what it yields to
// `sums`. Nothing if no sum of a value that it reads is wanted.
absl::Status BuildBackwardCall(const OpCall& call, GradientSums* sums);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_AUTODIFF_BACKWARD_CALL_H_
