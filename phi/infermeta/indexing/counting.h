// SPDX-License-Identifier: Apache-2.0
// InferMeta of operators that count and look up.
#ifndef SWITCHYARD_PHI_INFERMETA_INDEXING_COUNTING_H_
#define SWITCHYARD_PHI_INFERMETA_INDEXING_COUNTING_H_

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: x's dtype, of an extent that the elements tell along the one axis in
// `axis`; without it x counts as one axis. indices and counts: of dtype, int32
// or int64, and that extent; inverse: of x's extent there. Those that are not
// wanted are null.
absl::Status LegacyUniqueInferMeta(const TensorSpec& x,
                                   absl::Span<const int> axis, DataType dtype,
                                   bool is_sorted, TensorSpec* out,
                                   TensorSpec* indices, TensorSpec* inverse,
                                   TensorSpec* counts);

// out, index and counts: as the first, third and fourth of LegacyUnique.
absl::Status UniqueConsecutiveInferMeta(const TensorSpec& x,
                                        bool return_inverse, bool return_counts,
                                        absl::Span<const int> axis,
                                        DataType dtype, TensorSpec* out,
                                        TensorSpec* index, TensorSpec* counts);

// out: int32 or int64, as values. sorted_sequence: values' dtype; a list, or of
// values' extents except the last one.
absl::Status SearchsortedInferMeta(const TensorSpec& sorted_sequence,
                                   const TensorSpec& values, bool out_int32,
                                   bool right, TensorSpec* out);

// out: `bins` numbers, int64 or, with weight or density, float32. weight:
// float32, input's shape.
absl::Status HistogramInferMeta(const TensorSpec& input,
                                const TensorSpec* weight, int64_t bins,
                                double min, double max, bool density,
                                TensorSpec* out);

// out: an extent that the elements tell. x: a list; weights: x's shape.
absl::Status BincountInferMeta(const TensorSpec& x, const TensorSpec* weights,
                               int minlength, TensorSpec* out);

// out: as input.
absl::Status ShardIndexInferMeta(const TensorSpec& input, int index_num,
                                 int nshards, int shard_id, int ignore_value,
                                 TensorSpec* out);

// out: a bool of rank 0. y: x's dtype.
absl::Status EqualAllInferMeta(const TensorSpec& x, const TensorSpec& y,
                               TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_INDEXING_COUNTING_H_
