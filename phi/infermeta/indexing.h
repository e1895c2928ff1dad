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

// The same for an index of rank 1 only.
absl::Status IndexSelectInferMeta(const MetaTensor& x, const MetaTensor& index,
                                  int axis, MetaTensor* out);

// out: as x. add_value: what IndexSelectInferMeta makes of x.
absl::Status IndexAddInferMeta(const MetaTensor& x, const MetaTensor& index,
                               const MetaTensor& add_value, int axis,
                               MetaTensor* out);

// out: as x. updates: what GatherInferMeta makes of x and axis 0.
absl::Status ScatterInferMeta(const MetaTensor& x, const MetaTensor& index,
                              const MetaTensor& updates, bool overwrite,
                              MetaTensor* out);

// out: arr's dtype, indices' shape, which is arr's but for the extent of
// `axis`.
absl::Status TakeAlongAxisInferMeta(const MetaTensor& arr,
                                    const MetaTensor& indices, int axis,
                                    MetaTensor* out);

// out: as arr. values: arr's dtype, indices' shape. reduce: "assign" or "add".
absl::Status PutAlongAxisInferMeta(const MetaTensor& arr,
                                   const MetaTensor& indices,
                                   const MetaTensor& values, int axis,
                                   std::string_view reduce, MetaTensor* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_INDEXING_H_
