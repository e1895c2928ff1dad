// SPDX-License-Identifier: Apache-2.0
// Receipts of steps that ran on the host for want of a kernel on their place.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_FRAME_FALLBACKS_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_FRAME_FALLBACKS_H_

#include "framework/tensor/tensor_base.h"
#include "static_graph/executor/shape_specialization.h"

namespace switchyard::static_graph {

// Notes a step of a fallback, which has run, in the log: a call, or a copy to
// and fro for one, of which `written` is the result.
void NoteFallback(const Step& step, const TensorBase& written);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_FRAME_FALLBACKS_H_
