// SPDX-License-Identifier: Apache-2.0
// InferMeta of operators that make tensors.
#ifndef SWITCHYARD_PHI_INFERMETA_CREATION_CREATION_H_
#define SWITCHYARD_PHI_INFERMETA_CREATION_CREATION_H_

#include <cstdint>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/attr_value.h"
#include "framework/types/scalar.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: `shape` (no negative extents) of `dtype`. SizeError, before anything is
// allocated, if the bytes leave int64.
absl::Status FullInferMeta(AttrValues shape, const Scalar* value,
                           DataType dtype, TensorSpec* out);

// out: x's shape; `dtype`, or x's where it is undefined.
absl::Status FullLikeInferMeta(const TensorSpec& x, const Scalar& value,
                               DataType dtype, TensorSpec* out);

// out: `shape` of `dtype` with the extent of axis `input_dim_idx` of input, or
// an unknown one for the number of its sequences, on axis `output_dim_idx`.
absl::Status FullBatchSizeLikeInferMeta(const TensorSpec& input,
                                        absl::Span<const int64_t> shape,
                                        const Scalar& value, DataType dtype,
                                        int input_dim_idx, int output_dim_idx,
                                        TensorSpec* out);

// out: `shape` (no negative extents) of `dtype`. values: as many.
absl::Status AssignValueInferMeta(absl::Span<const int64_t> shape,
                                  DataType dtype,
                                  absl::Span<const Scalar> values,
                                  TensorSpec* out);

// out: ceil((end - start) / step) elements of `dtype`, not bool, none if that
// is negative. The three numbers, converted to dtype, are finite, step is not
// 0. SizeError if the count leaves int64. An unknown number of elements where
// one of the three is null: not known yet.
absl::Status ArangeInferMeta(const Scalar* start, const Scalar* end,
                             const Scalar* step, DataType dtype,
                             TensorSpec* out);

// out: `number` elements (1 or more) of `dtype`, int32, int64, float32 or
// float64, as far as it is known.
absl::Status LinspaceInferMeta(const Scalar* start, const Scalar* stop,
                               AttrValue number, DataType dtype,
                               TensorSpec* out);

// out: `num` elements, as of LinspaceInferMeta.
absl::Status LogspaceInferMeta(const Scalar* start, const Scalar* stop,
                               AttrValue num, const Scalar* base,
                               DataType dtype, TensorSpec* out);

// out: `num_rows` (not negative) times `num_columns` (or -1: as many) of
// `dtype`.
absl::Status EyeInferMeta(int64_t num_rows, int64_t num_columns, DataType dtype,
                          TensorSpec* out);

// out: x's shape and an axis of `num_classes`, at least 1; float32. x: int32 or
// int64.
absl::Status OneHotInferMeta(const TensorSpec& x, AttrValue num_classes,
                             bool allow_out_of_range, TensorSpec* out);

// out: as x, which has two axes or more.
absl::Status TriangleInferMeta(const TensorSpec& x, int diagonal,
                               TensorSpec* out);

// out: `shape` of `dtype`, int32 or int64, which holds [low, high), not empty.
absl::Status RandintInferMeta(const TensorSpec* rng, int64_t low, int64_t high,
                              AttrValues shape, DataType dtype,
                              TensorSpec* out);

// out: `shape` of `dtype`, a floating one. rng: int64[2] (null where the caller
// supplies it later).
absl::Status RandomInferMeta(const TensorSpec* rng, AttrValues shape,
                             DataType dtype, TensorSpec* out);

// TypeError or ArgumentError unless `rng` is int64[2] or null.
absl::Status CheckRng(const TensorSpec* rng);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_CREATION_CREATION_H_
