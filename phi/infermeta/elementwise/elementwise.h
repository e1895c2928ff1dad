// SPDX-License-Identifier: Apache-2.0
// InferMeta of elementwise operators and of all whose result looks like an
// input. The contract of InferMeta functions is in
// phi/core/infer_meta_context.h; no output is set when an error is returned.
#ifndef SWITCHYARD_PHI_INFERMETA_ELEMENTWISE_ELEMENTWISE_H_
#define SWITCHYARD_PHI_INFERMETA_ELEMENTWISE_ELEMENTWISE_H_

#include "framework/base/status.h"
#include "framework/types/scalar.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: as x.
absl::Status UnchangedInferMeta(const TensorSpec& x, TensorSpec* out);

// x_grad as x. out and out_grad have the shape and the dtype of x.
absl::Status UnaryGradOfOutInferMeta(const TensorSpec& x, const TensorSpec& out,
                                     const TensorSpec& out_grad,
                                     TensorSpec* x_grad);

// out: as x. x and y must have one shape and dtype, floating or complex: what a
// gradient belongs to, and the gradient.
absl::Status SameShapeInferMeta(const TensorSpec& x, const TensorSpec& y,
                                TensorSpec* out);

// x_grad: as out_grad, which is as x where that is given.
absl::Status SignGradInferMeta(const TensorSpec* x, const TensorSpec& out_grad,
                               TensorSpec* x_grad);

// out: x's dtype, the broadcast shape. y must have x's dtype.
absl::Status BroadcastInferMeta(const TensorSpec& x, const TensorSpec& y,
                                TensorSpec* out);

// Infers dense operands as BroadcastInferMeta does. Nothing is broadcast where
// one is SelectedRows: out then has their common shape, and is SelectedRows if
// both are and dense otherwise.
absl::Status AddInferMeta(const TensorSpec& x, const TensorSpec& y,
                          TensorSpec* out);

// x_grad as x, y_grad as y (either may be null). out_grad: as
// BroadcastInferMeta says.
absl::Status BinaryGradInferMeta(const TensorSpec& x, const TensorSpec& y,
                                 const TensorSpec& out_grad, TensorSpec* x_grad,
                                 TensorSpec* y_grad);

// Does what BinaryGradInferMeta does, for a gradient that takes the result too:
// `out` is like out_grad.
absl::Status BinaryGradOfOutInferMeta(const TensorSpec& x, const TensorSpec& y,
                                      const TensorSpec& out,
                                      const TensorSpec& out_grad,
                                      TensorSpec* x_grad, TensorSpec* y_grad);

// out: bool, the broadcast shape. y must have x's dtype.
absl::Status CompareInferMeta(const TensorSpec& x, const TensorSpec& y,
                              TensorSpec* out);

// out: as x. scale and bias must be real unless x is complex.
absl::Status ScaleInferMeta(const TensorSpec& x, const Scalar* scale,
                            const Scalar* bias, TensorSpec* out);

// out: as x. y must be real unless x is complex.
absl::Status PowInferMeta(const TensorSpec& x, const Scalar* y,
                          TensorSpec* out);

// out: as x. min must not be above max; both are real unless x is complex.
absl::Status ClipInferMeta(const TensorSpec& x, const Scalar* min,
                           const Scalar* max, TensorSpec* out);

// out: x's dtype, the shape that all three broadcast to. condition must be
// bool, y of x's dtype.
absl::Status WhereInferMeta(const TensorSpec& condition, const TensorSpec& x,
                            const TensorSpec& y, TensorSpec* out);

// out: bool, x's shape.
absl::Status LogicalNotInferMeta(const TensorSpec& x, TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_ELEMENTWISE_ELEMENTWISE_H_
