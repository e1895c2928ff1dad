// SPDX-License-Identifier: Apache-2.0
// Receipts of steps that ran on the host for want of a kernel on their place.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_FRAME_FALLBACKS_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_FRAME_FALLBACKS_H_

#include "framework/tensor/tensor_base.h"
#include "static_graph/executor/shape_specialization.h"

namespace switchyard::static_graph {

// Notes in the log that a step of a fallback has run and has written `written`:
// a call, or a copy to or from the place where it computes.
void NoteFallback(const Step& step, const TensorBase& written);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_FRAME_FALLBACKS_H_
