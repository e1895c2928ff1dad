// SPDX-License-Identifier: Apache-2.0
// InferMeta of operators that make tensors.
#ifndef SWITCHYARD_PHI_INFERMETA_CREATION_H_
#define SWITCHYARD_PHI_INFERMETA_CREATION_H_

#include "framework/base/status.h"
#include "framework/tensor/meta_tensor.h"
#include "framework/types/scalar.h"

namespace switchyard::phi {

// out: `shape` (no negative extents) of `dtype`. SizeError, before anything is
// allocated, if the bytes leave int64.
absl::Status FullInferMeta(IntArray shape, const Scalar& value, DataType dtype,
                           MetaTensor* out);

// out: x's shape; `dtype`, or x's where it is undefined.
absl::Status FullLikeInferMeta(const MetaTensor& x, const Scalar& value,
                               DataType dtype, MetaTensor* out);

// out: `shape` of `dtype`, a floating one. rng: int64[2] (null where the caller
// supplies it later).
absl::Status RandomInferMeta(const MetaTensor* rng, IntArray shape,
                             DataType dtype, MetaTensor* out);

// TypeError or ArgumentError unless `rng` is int64[2] or null.
absl::Status CheckRng(const MetaTensor* rng);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_CREATION_H_
