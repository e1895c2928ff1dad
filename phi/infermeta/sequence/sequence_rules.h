// SPDX-License-Identifier: Apache-2.0
// Rules that the InferMeta functions of operators on sequences (LoD) share:
// results with levels of sequences, rows of which only the run knows the
// number, and gradients. phi/infermeta/checks.h has those of all operators.
#ifndef SWITCHYARD_PHI_INFERMETA_SEQUENCE_SEQUENCE_RULES_H_
#define SWITCHYARD_PHI_INFERMETA_SEQUENCE_SEQUENCE_RULES_H_

#include <cstdint>

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"

namespace switchyard::phi {

// Returns true if `x` may have one element a row: [rows] or [rows, 1].
inline bool IsColumn(const TensorSpec& x) {
  const int rank = x.shape.rank();
  return rank == 1 || (rank == 2 && MayEqual(x.shape[1], Dim(1)));
}

// Returns the number of sequences of `x`: all rows are one where it has none.
inline Dim SequenceCount(const TensorSpec& x) {
  return x.lod_levels > 0 ? Dim::Unknown() : Dim(1);
}

// Returns `shape`, of rank 1 or more, with any number of rows.
inline Shape WithAnyRows(Shape shape) {
  shape[0] = Dim::Unknown();
  return shape;
}

// Does what SetOutput does, for an output with that many levels of sequences.
inline absl::Status SetSequences(DataType dtype, const Shape& shape, int levels,
                                 TensorSpec* out) {
  SY_RETURN_IF_ERROR(SetOutput(out, dtype, shape));
  if (out != nullptr) out->lod_levels = static_cast<uint8_t>(levels);
  return absl::OkStatus();
}

// Does what UnchangedInferMeta does, for an output with that many levels of
// sequences.
inline absl::Status SetUnchanged(const TensorSpec& x, int levels,
                                 TensorSpec* out) {
  SY_RETURN_IF_ERROR(UnchangedInferMeta(x, out));
  if (out != nullptr) out->lod_levels = static_cast<uint8_t>(levels);
  return absl::OkStatus();
}

// Infers the gradient of `x`: as x, without sequences. CheckOutGrad's errors
// unless `out_grad` is like `out`.
inline absl::Status SetGrad(const TensorSpec& x, const TensorSpec& out_grad,
                            const TensorSpec& out, TensorSpec* x_grad) {
  SY_RETURN_IF_ERROR(CheckOutGrad(out_grad, out));
  return UnchangedInferMeta(x, x_grad);
}

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_SEQUENCE_SEQUENCE_RULES_H_
