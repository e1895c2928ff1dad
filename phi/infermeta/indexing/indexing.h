// SPDX-License-Identifier: Apache-2.0
// InferMeta of operators that choose by index tensors, which are int32 or
// int64. Whether the indices are in range is the kernels' to check.
#ifndef SWITCHYARD_PHI_INFERMETA_INDEXING_INDEXING_H_
#define SWITCHYARD_PHI_INFERMETA_INDEXING_INDEXING_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/types/attr_value.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: x's dtype and shape with the extent of `axis` replaced by the number of
// indices; a scalar index drops the axis. index: of rank 1 or 0.
absl::Status GatherInferMeta(const TensorSpec& x, const TensorSpec& index,
                             AttrValue axis, TensorSpec* out);

// As GatherInferMeta for an index of rank 1 only.
absl::Status IndexSelectInferMeta(const TensorSpec& x, const TensorSpec& index,
                                  AttrValue axis, TensorSpec* out);

// out: as x. add_value: what IndexSelectInferMeta makes of x.
absl::Status IndexAddInferMeta(const TensorSpec& x, const TensorSpec& index,
                               const TensorSpec& add_value, AttrValue axis,
                               TensorSpec* out);

// out: as x. updates: what GatherInferMeta makes of x and axis 0.
absl::Status ScatterInferMeta(const TensorSpec& x, const TensorSpec& index,
                              const TensorSpec& updates, bool overwrite,
                              TensorSpec* out);

// x_grad as out_grad, which looks as x; updates_grad as updates, which
// ScatterInferMeta takes beside such an x (either may be null).
absl::Status ScatterGradInferMeta(const TensorSpec& index,
                                  const TensorSpec& updates,
                                  const TensorSpec& out_grad,
                                  TensorSpec* x_grad, TensorSpec* updates_grad);

// out: arr's dtype, indices' shape, which is arr's except for the extent of
// `axis`.
absl::Status TakeAlongAxisInferMeta(const TensorSpec& arr,
                                    const TensorSpec& indices, int axis,
                                    TensorSpec* out);

// arr_grad: as arr. out_grad: as TakeAlongAxisInferMeta says. Of topk and
// argsort too, whose results `indices` would take from x.
absl::Status TakeAlongAxisGradInferMeta(const TensorSpec& arr,
                                        const TensorSpec& indices,
                                        const TensorSpec& out_grad, int axis,
                                        TensorSpec* arr_grad);

// out: as arr. values: arr's dtype, indices' shape. reduce: "assign" or "add".
absl::Status PutAlongAxisInferMeta(const TensorSpec& arr,
                                   const TensorSpec& indices,
                                   const TensorSpec& values, int axis,
                                   std::string_view reduce, TensorSpec* out);

// arr_grad as out_grad, which looks as arr; values_grad as values, which
// PutAlongAxisInferMeta takes beside such an arr (either may be null).
absl::Status PutAlongAxisGradInferMeta(const TensorSpec& indices,
                                       const TensorSpec& values,
                                       const TensorSpec& out_grad, int axis,
                                       std::string_view reduce,
                                       TensorSpec* arr_grad,
                                       TensorSpec* values_grad);

// out: x's dtype; the extents of index except its last, whose positions choose
// along as many first axes of x, then those of x's other axes.
absl::Status GatherNdInferMeta(const TensorSpec& x, const TensorSpec& index,
                               TensorSpec* out);

// out: as x. updates: what GatherNdInferMeta makes of x.
absl::Status ScatterNdAddInferMeta(const TensorSpec& x, const TensorSpec& index,
                                   const TensorSpec& updates, TensorSpec* out);

// x_grad as out_grad, which looks as x; updates_grad as updates, which
// ScatterNdAddInferMeta takes beside such an x (either may be null).
absl::Status ScatterNdAddGradInferMeta(const TensorSpec& index,
                                       const TensorSpec& updates,
                                       const TensorSpec& out_grad,
                                       TensorSpec* x_grad,
                                       TensorSpec* updates_grad);

// out: int64 of an extent that the elements tell, and x's rank.
absl::Status NonzeroInferMeta(const TensorSpec& x, TensorSpec* out);

// out: int64, of `output_size` elements, or, where that is -1, of an extent
// that the elements of repeats tell. repeats: int32 or int64, of the extent of
// x's `axis`.
absl::Status RepeatIndicesInferMeta(const TensorSpec& x,
                                    const TensorSpec& repeats, int axis,
                                    int64_t output_size, TensorSpec* out);

// out: x's dtype, of an extent that the elements of mask tell. mask: bool, of
// x's shape.
absl::Status MaskedSelectInferMeta(const TensorSpec& x, const TensorSpec& mask,
                                   TensorSpec* out);

// out: x's dtype; counts: int64; both of an extent that the elements tell.
// inverse: int64, of x's shape.
absl::Status UniqueInferMeta(const TensorSpec& x, TensorSpec* out,
                             TensorSpec* inverse, TensorSpec* counts);

// out: as ids, int32 or int64 of rank 3. parents: of that dtype and shape.
absl::Status GatherTreeInferMeta(const TensorSpec& ids,
                                 const TensorSpec& parents, TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_INDEXING_INDEXING_H_
