// SPDX-License-Identifier: Apache-2.0
#include "eager/call/autograd_ops.h"

#include <utility>

#include "absl/container/inlined_vector.h"
#include "eager/call/region.h"
#include "eager/call/run.h"
#include "phi/dispatch/environment.h"

namespace switchyard::eager {

absl::StatusOr<Tensor> AutogradOps::Add(const Tensor& a,
                                        const Tensor& b) const {
  Tensor sum;
  SY_RETURN_IF_ERROR(Run(*add_, {&a, &b}, {}, absl::MakeSpan(&sum, 1)));
  return sum;
}

absl::StatusOr<Tensor> AutogradOps::Copy(const Tensor& grad) const {
  Tensor copy;
  SY_RETURN_IF_ERROR(Run(*assign_, {&grad}, {}, absl::MakeSpan(&copy, 1)));
  return copy;
}

absl::StatusOr<Tensor> AutogradOps::FilledLike(const Tensor& like,
                                               double value) const {
  return Filled(like.shape(), like.dtype(), value, like.place());
}

absl::StatusOr<Tensor> AutogradOps::Take(const Tensor& base,
                                         const Region& region) const {
  SY_ASSIGN_OR_RETURN(DenseTensor part, region.Take(base.dense()));
  return Tensor(std::move(part));
}

absl::StatusOr<Tensor> AutogradOps::Put(const Tensor& part,
                                        const Region& region) const {
  SY_ASSIGN_OR_RETURN(DenseTensor base, region.Put(part.dense()));
  return Tensor(std::move(base));
}

absl::StatusOr<Tensor> AutogradOps::Clear(const Tensor& base,
                                          const Region& region) const {
  SY_ASSIGN_OR_RETURN(DenseTensor cleared, region.Clear(base.dense()));
  if (cleared.dtype() == DataType::kUndefined) return Tensor();
  return Tensor(std::move(cleared));
}

absl::StatusOr<Tensor> AutogradOps::Filled(const Shape& shape, DataType dtype,
                                           double value, Place place) const {
  const phi::dispatch::DefaultPlaceScope scope(place);
  absl::InlinedVector<int64_t, kMaxRank> extents;
  for (Dim dim : shape.dims()) extents.push_back(dim.value());
  const Scalar scalar(value);
  const AttrRef attrs[] = {absl::Span<const int64_t>(extents), scalar, dtype};
  Tensor filled;
  SY_RETURN_IF_ERROR(Run(*full_, {}, attrs, absl::MakeSpan(&filled, 1)));
  return filled;
}

absl::StatusOr<Tensor> AutogradOps::Densify(const Tensor& tensor) const {
  if (tensor.kind() == TensorKind::kDense) return tensor;
  if (tensor.kind() != TensorKind::kSelectedRows) {
    return TypeError("tensor", "dense or selected_rows", Name(tensor.kind()));
  }
  SY_ASSIGN_OR_RETURN(const Tensor zeros, Filled(tensor.shape(), tensor.dtype(),
                                                 0.0, tensor.place()));
  return Add(zeros, tensor);
}

}  // namespace switchyard::eager
