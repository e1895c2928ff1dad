// SPDX-License-Identifier: Apache-2.0
// Shape, dtype and kind inference for sparse tensors
// (framework/tensor/sparse.h). The shape of one is that of the dense tensor
// that it stands for; how many values it has is not part of its type.
#ifndef SWITCHYARD_PHI_INFERMETA_SPARSE_SPARSE_H_
#define SWITCHYARD_PHI_INFERMETA_SPARSE_SPARSE_H_

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// Infers a COO tensor of `shape` from values and int32 or int64 indices
// [sparse axes, values].
absl::Status SparseCooTensorInferMeta(const TensorSpec& values,
                                      const TensorSpec& indices,
                                      absl::Span<const int64_t> shape,
                                      TensorSpec* out);

// Infers a CSR matrix of `shape`.
absl::Status SparseCsrTensorInferMeta(const TensorSpec& values,
                                      const TensorSpec& crows,
                                      const TensorSpec& cols,
                                      absl::Span<const int64_t> shape,
                                      TensorSpec* out);

// Infers the gradient of the values that a sparse tensor is made of.
absl::Status SparseTensorGradInferMeta(const TensorSpec& values,
                                       const TensorSpec& out_grad,
                                       TensorSpec* values_grad);

// Infers the values of a sparse tensor, [?] or for COO any axes after it.
absl::Status SparseValuesInferMeta(const TensorSpec& x, TensorSpec* out);

// Infers the dense tensor that x stands for.
absl::Status SparseToDenseInferMeta(const TensorSpec& x, TensorSpec* out);

// Infer x, dense or of the other sparse kind, as COO and as CSR.
absl::Status ToSparseCooInferMeta(const TensorSpec& x, int sparse_dim,
                                  TensorSpec* out);
absl::Status ToSparseCsrInferMeta(const TensorSpec& x, TensorSpec* out);

// Infers a COO tensor like x.
absl::Status CoalesceInferMeta(const TensorSpec& x, TensorSpec* out);
absl::Status CoalesceGradInferMeta(const TensorSpec& x,
                                   const TensorSpec& out_grad,
                                   TensorSpec* x_grad);

// Infers the product of a sparse matrix and a dense one.
absl::Status SparseMatmulInferMeta(const TensorSpec& x, const TensorSpec& y,
                                   TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_SPARSE_SPARSE_H_
