// SPDX-License-Identifier: Apache-2.0
#include "eager/filled.h"

#include "absl/container/inlined_vector.h"
#include "eager/run.h"

namespace switchyard::eager {

absl::StatusOr<Tensor> MakeFilled(const AutogradOps& ops, const Shape& shape,
                                  DataType dtype, double value) {
  absl::InlinedVector<int64_t, kMaxRank> extents;
  for (Dim dim : shape.dims()) extents.push_back(dim.value());
  const Scalar scalar(value);
  const AttrRef attrs[] = {absl::Span<const int64_t>(extents), scalar, dtype};
  Tensor filled;
  SY_RETURN_IF_ERROR(Run(*ops.full, {}, attrs, absl::MakeSpan(&filled, 1)));
  return filled;
}

absl::StatusOr<Tensor> Densified(const AutogradOps& ops, const Tensor& tensor) {
  if (tensor.kind() == TensorKind::kDense) return tensor;
  SY_ASSIGN_OR_RETURN(const Tensor zeros,
                      MakeFilled(ops, tensor.shape(), tensor.dtype(), 0.0));
  Tensor dense;
  SY_RETURN_IF_ERROR(
      Run(*ops.add, {&zeros, &tensor}, {}, absl::MakeSpan(&dense, 1)));
  return dense;
}

}  // namespace switchyard::eager
