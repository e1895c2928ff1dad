// SPDX-License-Identifier: Apache-2.0
// CopyElements: the elements of a tensor of any strides, row-major, into the
// memory of another: how values leave a program and loops hand theirs on.
// Copies between operators are operators (copy, contiguous) with kernels.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_TENSOR_COPY_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_TENSOR_COPY_H_

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"

namespace switchyard::static_graph {

// Copies the elements of `from`, whatever its strides, into `to`, which is
// contiguous, of the same dtype and shape, and has memory. Both may lie on any
// place. OK where both are on the host; else what the device reports.
absl::Status CopyElements(const DenseTensor& from, DenseTensor* to);

// Returns a contiguous tensor like `like`, with memory of its own on its place
// whose contents are unspecified. ResourceExhausted if there is none.
absl::StatusOr<DenseTensor> AllocateLike(const TensorMeta& like);

// Returns a contiguous copy with memory of its own on the same place.
absl::StatusOr<DenseTensor> ContiguousCopy(const DenseTensor& from);

// Returns a tensor of the same elements that the host may read: `tensor`
// itself, or a copy of a device's.
absl::StatusOr<DenseTensor> OnHost(const DenseTensor& tensor);

// Returns the one element of a condition, wherever it lies.
absl::StatusOr<bool> ReadCondition(const DenseTensor& condition);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_TENSOR_COPY_H_
