// SPDX-License-Identifier: Apache-2.0
// RunValue: a tensor of any kind that a run is given, computes or returns.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_RUN_VALUE_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_RUN_VALUE_H_

#include <memory>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/tensor_base.h"
#include "framework/types/tensor_kind.h"

namespace switchyard::static_graph {

// A value of a run. A copy shares the memory.
struct RunValue {
  RunValue() = default;
  // NOLINTNEXTLINE: a dense tensor is one.
  RunValue(const DenseTensor& tensor) : dense(tensor) {}
  // NOLINTNEXTLINE
  RunValue(DenseTensor&& tensor) : dense(std::move(tensor)) {}
  explicit RunValue(std::shared_ptr<const TensorBase> tensor)
      : other(std::move(tensor)) {}

  DenseTensor dense;
  // Instead of `dense`, for a value that is not; shared, since nothing writes
  // it.
  std::shared_ptr<const TensorBase> other;

  const TensorBase& base() const {
    return other == nullptr ? static_cast<const TensorBase&>(dense) : *other;
  }
};

// Returns the shape that programs are specialized for, of a tensor of this kind
// and shape: an array may have any length there.
Shape ShapeFor(TensorKind kind, Shape shape);

// Returns the dense tensors that a tensor of another kind consists of. An array
// has none: its elements are never written.
std::vector<DenseTensor> PartsOf(const TensorBase& tensor);

// Returns a copy, of a kind that is not dense, whose parts have memory of their
// own. ResourceExhausted if there is none.
absl::StatusOr<std::shared_ptr<const TensorBase>> CopyOfParts(
    const TensorBase& tensor);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_RUN_VALUE_H_
