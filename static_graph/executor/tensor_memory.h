// SPDX-License-Identifier: Apache-2.0
// PlanTensorMemory: places the tensors of a ShapeSpecialization in the memory
// of a frame, by memory_planner.h, which knows no tensors.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_TENSOR_MEMORY_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_TENSOR_MEMORY_H_

#include "framework/base/status.h"
#include "static_graph/executor/shape_specialization.h"

namespace switchyard::static_graph {

// Sets `made->memory` and the offset of each planned tensor, by the bytes of
// the roots and the steps that read and write them. A tensor that is written in
// place of another lies where its root lies; parts of concatenations lie in the
// result (concat_parts.h) as far as no more memory is needed. May be called
// again when bytes have changed. SizeError if the sum leaves int64.
absl::Status PlanTensorMemory(ShapeSpecialization* made);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_TENSOR_MEMORY_H_
