// SPDX-License-Identifier: Apache-2.0
// CopyElements: the elements of a tensor of any strides, row-major, into plain
// memory: how values leave a program and loops hand theirs on. Copies between
// operators are operators (copy, contiguous) with kernels.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_TENSOR_COPY_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_TENSOR_COPY_H_

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"

namespace switchyard::static_graph {

// Copies the elements of a tensor of any strides, row-major. `to` has room for
// all elements; the tensor is on the CPU and has a buffer.
void CopyElements(const DenseTensor& from, void* to);

// Returns a contiguous tensor like `like`, with memory of its own whose
// contents are unspecified. ResourceExhausted if there is none.
absl::StatusOr<DenseTensor> AllocateLike(const TensorMeta& like);

// Returns a contiguous copy with memory of its own.
absl::StatusOr<DenseTensor> ContiguousCopy(const DenseTensor& from);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_TENSOR_COPY_H_
