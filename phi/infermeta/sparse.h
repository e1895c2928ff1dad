// SPDX-License-Identifier: Apache-2.0
// Shape, dtype and kind inference for sparse tensors
// (framework/tensor/sparse.h). The shape of one is that of the dense tensor
// that it stands for; how many values it has is not part of its type.
#ifndef SWITCHYARD_PHI_INFERMETA_SPARSE_H_
#define SWITCHYARD_PHI_INFERMETA_SPARSE_H_

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/tensor/meta_tensor.h"

namespace switchyard::phi {

// Infers a COO tensor of `shape` from values and int32 or int64 indices
// [sparse axes, values].
absl::Status SparseCooTensorInferMeta(const MetaTensor& values,
                                      const MetaTensor& indices,
                                      absl::Span<const int64_t> shape,
                                      MetaTensor* out);
// Infers a CSR matrix of `shape`.
absl::Status SparseCsrTensorInferMeta(const MetaTensor& values,
                                      const MetaTensor& crows,
                                      const MetaTensor& cols,
                                      absl::Span<const int64_t> shape,
                                      MetaTensor* out);
// Infers the gradient of the values that a sparse tensor is made of.
absl::Status SparseTensorGradInferMeta(const MetaTensor& values,
                                       const MetaTensor& out_grad,
                                       MetaTensor* values_grad);

// Infers the values of a sparse tensor, [?] or for COO any axes behind it.
absl::Status SparseValuesInferMeta(const MetaTensor& x, MetaTensor* out);
absl::Status SparseValuesGradInferMeta(const MetaTensor& x,
                                       const MetaTensor& out_grad,
                                       MetaTensor* x_grad);

// Infers the dense tensor that x stands for.
absl::Status SparseToDenseInferMeta(const MetaTensor& x, MetaTensor* out);
absl::Status SparseToDenseGradInferMeta(const MetaTensor& x,
                                        const MetaTensor& out_grad,
                                        MetaTensor* x_grad);

// Infer x, dense or of the other sparse kind, as COO and as CSR.
absl::Status ToSparseCooInferMeta(const MetaTensor& x, int sparse_dim,
                                  MetaTensor* out);
absl::Status ToSparseCooGradInferMeta(const MetaTensor& x,
                                      const MetaTensor& out_grad,
                                      int sparse_dim, MetaTensor* x_grad);
absl::Status ToSparseCsrInferMeta(const MetaTensor& x, MetaTensor* out);
absl::Status ToSparseCsrGradInferMeta(const MetaTensor& x,
                                      const MetaTensor& out_grad,
                                      MetaTensor* x_grad);

// Infers a COO tensor like x.
absl::Status CoalesceInferMeta(const MetaTensor& x, MetaTensor* out);
absl::Status CoalesceGradInferMeta(const MetaTensor& x,
                                   const MetaTensor& out_grad,
                                   MetaTensor* x_grad);

// Infers the product of a sparse matrix and a dense one.
absl::Status SparseMatmulInferMeta(const MetaTensor& x, const MetaTensor& y,
                                   MetaTensor* out);
absl::Status SparseMatmulGradInferMeta(const MetaTensor& x, const MetaTensor& y,
                                       const MetaTensor& out_grad,
                                       MetaTensor* x_grad, MetaTensor* y_grad);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_SPARSE_H_
