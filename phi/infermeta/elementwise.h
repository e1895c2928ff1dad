// SPDX-License-Identifier: Apache-2.0
// InferMeta of elementwise operators and of all whose result looks like an
// input. The contract of InferMeta functions is in
// phi/core/infer_meta_context.h; no output is set when an error is returned.
#ifndef SWITCHYARD_PHI_INFERMETA_ELEMENTWISE_H_
#define SWITCHYARD_PHI_INFERMETA_ELEMENTWISE_H_

#include "framework/base/status.h"
#include "framework/tensor/meta_tensor.h"
#include "framework/types/scalar.h"

namespace switchyard::phi {

// out: as x.
absl::Status UnchangedInferMeta(const MetaTensor& x, MetaTensor* out);

// x_grad as x. out and out_grad have the shape and the dtype of x.
absl::Status UnaryGradOfOutInferMeta(const MetaTensor& x, const MetaTensor& out,
                                     const MetaTensor& out_grad,
                                     MetaTensor* x_grad);

// out: as x. x and y must have one shape and dtype: a gradient and what it
// belongs to.
absl::Status SameShapeInferMeta(const MetaTensor& x, const MetaTensor& y,
                                MetaTensor* out);

// out: x's dtype, the broadcast shape. y must have x's dtype.
absl::Status BroadcastInferMeta(const MetaTensor& x, const MetaTensor& y,
                                MetaTensor* out);

// Infers dense operands as BroadcastInferMeta does. Nothing is broadcast where
// one is SelectedRows: out then has their common shape, and is SelectedRows if
// both are and dense otherwise.
absl::Status AddInferMeta(const MetaTensor& x, const MetaTensor& y,
                          MetaTensor* out);

// x_grad as x, y_grad as y (either may be null). out_grad: as
// BroadcastInferMeta says.
absl::Status BinaryGradInferMeta(const MetaTensor& x, const MetaTensor& y,
                                 const MetaTensor& out_grad, MetaTensor* x_grad,
                                 MetaTensor* y_grad);

// Does what BinaryGradInferMeta does, for a gradient that takes the result too:
// `out` is like out_grad.
absl::Status BinaryGradOfOutInferMeta(const MetaTensor& x, const MetaTensor& y,
                                      const MetaTensor& out,
                                      const MetaTensor& out_grad,
                                      MetaTensor* x_grad, MetaTensor* y_grad);

// out: bool, the broadcast shape. y must have x's dtype.
absl::Status CompareInferMeta(const MetaTensor& x, const MetaTensor& y,
                              MetaTensor* out);

// out: as x. scale and bias must be real unless x is complex.
absl::Status ScaleInferMeta(const MetaTensor& x, const Scalar& scale,
                            const Scalar& bias, MetaTensor* out);

// out: as x. y must be real unless x is complex.
absl::Status PowInferMeta(const MetaTensor& x, const Scalar& y,
                          MetaTensor* out);

// out: as x. min must not be above max; both are real unless x is complex.
absl::Status ClipInferMeta(const MetaTensor& x, const Scalar& min,
                           const Scalar& max, MetaTensor* out);

// x_grad: as x, like out_grad. min must not be above max.
absl::Status ClipGradInferMeta(const MetaTensor& x, const MetaTensor& out_grad,
                               const Scalar& min, const Scalar& max,
                               MetaTensor* x_grad);

// out: x's dtype, the shape that all three broadcast to. condition must be
// bool, y of x's dtype.
absl::Status WhereInferMeta(const MetaTensor& condition, const MetaTensor& x,
                            const MetaTensor& y, MetaTensor* out);

// x_grad as x, y_grad as y (either may be null). out_grad: as WhereInferMeta
// says.
absl::Status WhereGradInferMeta(const MetaTensor& condition,
                                const MetaTensor& x, const MetaTensor& y,
                                const MetaTensor& out_grad, MetaTensor* x_grad,
                                MetaTensor* y_grad);

// out: bool, x's shape.
absl::Status LogicalNotInferMeta(const MetaTensor& x, MetaTensor* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_ELEMENTWISE_H_
