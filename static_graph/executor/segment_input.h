// SPDX-License-Identifier: Apache-2.0
// SegmentInput: what a specialization is given of a value that it does not
// compute.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_SEGMENT_INPUT_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_SEGMENT_INPUT_H_

#include "framework/tensor/dense_tensor.h"
#include "static_graph/executor/plan.h"

namespace switchyard::static_graph {

// A value that the block, or the segment, does not compute.
struct SegmentInput {
  ValueId value = kNoValue;
  TensorMeta meta;
  // Its elements, contiguous, if shapes may depend on them; else without
  // memory.
  DenseTensor elements;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_SEGMENT_INPUT_H_
