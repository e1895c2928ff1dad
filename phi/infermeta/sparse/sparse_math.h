// SPDX-License-Identifier: Apache-2.0
// Shape, dtype and kind inference for arithmetic on sparse tensors. TypeError
// for a tensor that is neither COO nor CSR.
#ifndef SWITCHYARD_PHI_INFERMETA_SPARSE_SPARSE_MATH_H_
#define SWITCHYARD_PHI_INFERMETA_SPARSE_SPARSE_MATH_H_

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// Infers a product like x. y: sparse of x's kind, shape and dtype; or dense of
// x's dtype and of its shape or one element.
absl::Status SparseMultiplyInferMeta(const TensorSpec& x, const TensorSpec& y,
                                     TensorSpec* out);

// Infers a tensor like x.
absl::Status SparseReluInferMeta(const TensorSpec& x, TensorSpec* out);
absl::Status SparseReluGradInferMeta(const TensorSpec& out,
                                     const TensorSpec& out_grad,
                                     TensorSpec* x_grad);

// Infers a sum of x's kind. `axis`: none for all elements, else one; of a CSR
// matrix axis 1 alone, whose sums are a matrix [rows, 1]. A COO tensor has one
// axis at least: the sum of all elements is [1], or 1 along each axis of x with
// `keepdim`.
absl::Status SparseSumInferMeta(const TensorSpec& x,
                                absl::Span<const int64_t> axis, bool keepdim,
                                TensorSpec* out);

// Infers x with axis perm[i] as axis i.
absl::Status SparseTransposeInferMeta(const TensorSpec& x,
                                      absl::Span<const int> perm,
                                      TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_SPARSE_SPARSE_MATH_H_
