// SPDX-License-Identifier: Apache-2.0
// InferMeta of operators on stacks of square matrices: the last two axes are a
// matrix, the others count them. Products of matrices are in linalg.h.
#ifndef SWITCHYARD_PHI_INFERMETA_LINEAR_SOLVE_H_
#define SWITCHYARD_PHI_INFERMETA_LINEAR_SOLVE_H_

#include "framework/base/status.h"
#include "framework/tensor/meta_tensor.h"

namespace switchyard::phi {

// out: as x, square matrices.
absl::Status SquareMatrixInferMeta(const MetaTensor& x, MetaTensor* out);

// out: a number for each matrix of x, [...] for x [..., n, n].
absl::Status DeterminantInferMeta(const MetaTensor& x, MetaTensor* out);

// x_grad: as x. out and out_grad: as DeterminantInferMeta says.
absl::Status DeterminantGradInferMeta(const MetaTensor& x,
                                      const MetaTensor& out,
                                      const MetaTensor& out_grad,
                                      MetaTensor* x_grad);

// out [..., n, k] for x [..., n, n] and y [..., n, k] of one dtype; the leading
// axes broadcast. Where y has one axis, or x's axes without the last, it is a
// stack of vectors, [..., n], and so is out.
absl::Status SolveInferMeta(const MetaTensor& x, const MetaTensor& y,
                            MetaTensor* out);

// x_grad as x, y_grad as y (either may be null). out and out_grad: as
// SolveInferMeta says.
absl::Status SolveGradInferMeta(const MetaTensor& x, const MetaTensor& y,
                                const MetaTensor& out,
                                const MetaTensor& out_grad, MetaTensor* x_grad,
                                MetaTensor* y_grad);

// Infers as SolveInferMeta does, where y is always a stack of matrices.
absl::Status TriangularSolveInferMeta(const MetaTensor& x, const MetaTensor& y,
                                      MetaTensor* out);
absl::Status TriangularSolveGradInferMeta(
    const MetaTensor& x, const MetaTensor& y, const MetaTensor& out,
    const MetaTensor& out_grad, MetaTensor* x_grad, MetaTensor* y_grad);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_LINEAR_SOLVE_H_
