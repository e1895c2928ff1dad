// SPDX-License-Identifier: Apache-2.0
// InferMeta of operators on stacks of square matrices: the last two axes are a
// matrix, the others count them. Products of matrices are in linalg.h.
#ifndef SWITCHYARD_PHI_INFERMETA_LINEAR_SOLVE_LINEAR_SOLVE_H_
#define SWITCHYARD_PHI_INFERMETA_LINEAR_SOLVE_LINEAR_SOLVE_H_

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: as x, square matrices.
absl::Status SquareMatrixInferMeta(const TensorSpec& x, TensorSpec* out);

// x_grad: as x, which is square matrices (the input of an operator or its
// result), as is out_grad.
absl::Status SquareMatrixGradInferMeta(const TensorSpec& x,
                                       const TensorSpec& out_grad,
                                       TensorSpec* x_grad);

// out: a number for each matrix of x, [...] for x [..., n, n].
absl::Status DeterminantInferMeta(const TensorSpec& x, TensorSpec* out);

// out: x's dtype, of shape [2, ...] for x [..., n, n].
absl::Status SlogdetInferMeta(const TensorSpec& x, TensorSpec* out);

// out [..., n, k] for x [..., n, n] and y [..., n, k] of one dtype; the leading
// axes broadcast. Where y has one axis, or x's axes without the last, it is a
// stack of vectors, [..., n], and so is out.
absl::Status SolveInferMeta(const TensorSpec& x, const TensorSpec& y,
                            TensorSpec* out);

// Infers as SolveInferMeta does, where y is always a stack of matrices.
absl::Status TriangularSolveInferMeta(const TensorSpec& x, const TensorSpec& y,
                                      TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_LINEAR_SOLVE_LINEAR_SOLVE_H_
