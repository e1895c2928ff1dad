// SPDX-License-Identifier: Apache-2.0
// InferMeta of operators that choose by index tensors, which are int32 or
// int64. Whether the indices are in range is the kernels' to check.
#ifndef SWITCHYARD_PHI_INFERMETA_INDEXING_H_
#define SWITCHYARD_PHI_INFERMETA_INDEXING_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/tensor/meta_tensor.h"

namespace switchyard::phi {

// out: x's dtype and shape with the extent of `axis` replaced by the number of
// indices; a scalar index drops the axis. index: of rank 1 or 0.
absl::Status GatherInferMeta(const MetaTensor& x, const MetaTensor& index,
                             int axis, MetaTensor* out);

// x_grad: as x. out_grad: as GatherInferMeta says.
absl::Status GatherGradInferMeta(const MetaTensor& x, const MetaTensor& index,
                                 const MetaTensor& out_grad, int axis,
                                 MetaTensor* x_grad);

// As GatherInferMeta for an index of rank 1 only.
absl::Status IndexSelectInferMeta(const MetaTensor& x, const MetaTensor& index,
                                  int axis, MetaTensor* out);

// x_grad: as x. out_grad: as IndexSelectInferMeta says.
absl::Status IndexSelectGradInferMeta(const MetaTensor& x,
                                      const MetaTensor& index,
                                      const MetaTensor& out_grad, int axis,
                                      MetaTensor* x_grad);

// out: as x. add_value: what IndexSelectInferMeta makes of x.
absl::Status IndexAddInferMeta(const MetaTensor& x, const MetaTensor& index,
                               const MetaTensor& add_value, int axis,
                               MetaTensor* out);

// x_grad as x, add_value_grad as add_value (either may be null). out_grad: as
// IndexAddInferMeta says.
absl::Status IndexAddGradInferMeta(const MetaTensor& x, const MetaTensor& index,
                                   const MetaTensor& add_value,
                                   const MetaTensor& out_grad, int axis,
                                   MetaTensor* x_grad,
                                   MetaTensor* add_value_grad);

// out: as x. updates: what GatherInferMeta makes of x and axis 0.
absl::Status ScatterInferMeta(const MetaTensor& x, const MetaTensor& index,
                              const MetaTensor& updates, bool overwrite,
                              MetaTensor* out);

// x_grad as out_grad, which looks as x; updates_grad as updates, which
// ScatterInferMeta takes beside such an x (either may be null).
absl::Status ScatterGradInferMeta(const MetaTensor& index,
                                  const MetaTensor& updates,
                                  const MetaTensor& out_grad,
                                  MetaTensor* x_grad, MetaTensor* updates_grad);

// out: arr's dtype, indices' shape, which is arr's except for the extent of
// `axis`.
absl::Status TakeAlongAxisInferMeta(const MetaTensor& arr,
                                    const MetaTensor& indices, int axis,
                                    MetaTensor* out);

// arr_grad: as arr. out_grad: as TakeAlongAxisInferMeta says. Of topk and
// argsort too, whose results `indices` would take from x.
absl::Status TakeAlongAxisGradInferMeta(const MetaTensor& arr,
                                        const MetaTensor& indices,
                                        const MetaTensor& out_grad, int axis,
                                        MetaTensor* arr_grad);

// out: as arr. values: arr's dtype, indices' shape. reduce: "assign" or "add".
absl::Status PutAlongAxisInferMeta(const MetaTensor& arr,
                                   const MetaTensor& indices,
                                   const MetaTensor& values, int axis,
                                   std::string_view reduce, MetaTensor* out);

// arr_grad as out_grad, which looks as arr; values_grad as values, which
// PutAlongAxisInferMeta takes beside such an arr (either may be null).
absl::Status PutAlongAxisGradInferMeta(const MetaTensor& indices,
                                       const MetaTensor& values,
                                       const MetaTensor& out_grad, int axis,
                                       std::string_view reduce,
                                       MetaTensor* arr_grad,
                                       MetaTensor* values_grad);

// out: int64 of an extent that the elements tell, and x's rank.
absl::Status NonzeroInferMeta(const MetaTensor& x, MetaTensor* out);

// out: x's dtype, of an extent that the elements of mask tell. mask: bool, of
// x's shape.
absl::Status MaskedSelectInferMeta(const MetaTensor& x, const MetaTensor& mask,
                                   MetaTensor* out);

// x_grad: as x. out_grad: x's dtype, of one axis.
absl::Status MaskedSelectGradInferMeta(const MetaTensor& x,
                                       const MetaTensor& mask,
                                       const MetaTensor& out_grad,
                                       MetaTensor* x_grad);

// out: x's dtype; counts: int64; both of an extent that the elements tell.
// inverse: int64, of x's shape.
absl::Status UniqueInferMeta(const MetaTensor& x, MetaTensor* out,
                             MetaTensor* inverse, MetaTensor* counts);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_INDEXING_H_
