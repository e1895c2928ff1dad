// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/run_value.h"

#include "framework/tensor/owned_tensor.h"
#include "framework/tensor/selected_rows.h"
#include "framework/tensor/sparse.h"
#include "static_graph/executor/tensor_copy.h"

namespace switchyard::static_graph {

Shape ShapeFor(TensorKind kind, Shape shape) {
  if (kind == TensorKind::kTensorArray) shape[0] = Dim::Unknown();
  return shape;
}

std::vector<DenseTensor> PartsOf(const TensorBase& tensor) {
  switch (tensor.kind()) {
    case TensorKind::kSelectedRows:
      return {static_cast<const SelectedRows&>(tensor).values()};
    case TensorKind::kSparseCoo: {
      const auto& coo = static_cast<const SparseCooTensor&>(tensor);
      return {coo.indices(), coo.values()};
    }
    case TensorKind::kSparseCsr: {
      const auto& csr = static_cast<const SparseCsrTensor&>(tensor);
      return {csr.crows(), csr.cols(), csr.values()};
    }
    case TensorKind::kDense:
    case TensorKind::kTensorArray:
    case TensorKind::kStrings:
      return {};
  }
  return {};
}

absl::StatusOr<std::shared_ptr<const TensorBase>> CopyOfParts(
    const TensorBase& tensor) {
  std::vector<DenseTensor> parts = PartsOf(tensor);
  for (DenseTensor& part : parts) {
    SY_ASSIGN_OR_RETURN(part, ContiguousCopy(part));
  }
  switch (tensor.kind()) {
    case TensorKind::kSelectedRows: {
      const auto& rows = static_cast<const SelectedRows&>(tensor);
      return std::make_shared<const SelectedRows>(rows.height(), rows.rows(),
                                                  std::move(parts[0]));
    }
    case TensorKind::kSparseCoo:
      return std::make_shared<const SparseCooTensor>(
          tensor.shape(), std::move(parts[0]), std::move(parts[1]));
    case TensorKind::kSparseCsr:
      return std::make_shared<const SparseCsrTensor>(
          tensor.shape(), std::move(parts[0]), std::move(parts[1]),
          std::move(parts[2]));
    case TensorKind::kDense:
    case TensorKind::kTensorArray:
    case TensorKind::kStrings:
      break;
  }
  return std::shared_ptr<const TensorBase>(CopyTensor(tensor));
}

}  // namespace switchyard::static_graph
