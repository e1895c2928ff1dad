// SPDX-License-Identifier: Apache-2.0
// InferMeta of operators that step over sequences by a rank table: int64
// [sequences, 2], an index and a length each, whose levels of sequences (LoD)
// are those above the one that it is of.
#ifndef SWITCHYARD_PHI_INFERMETA_TENSOR_ARRAY_RANK_TABLE_H_
#define SWITCHYARD_PHI_INFERMETA_TENSOR_ARRAY_RANK_TABLE_H_

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: a table of any number of rows. level: 0 or more.
absl::Status LodRankTableInferMeta(const TensorSpec& x, int level,
                                   TensorSpec* out);

// out: int64 [1].
absl::Status MaxSequenceLenInferMeta(const TensorSpec& rank_table,
                                     TensorSpec* out);

// out: an array of elements like x with any number of rows, and the levels
// below the table's.
absl::Status LodTensorToArrayInferMeta(const TensorSpec& x,
                                       const TensorSpec& rank_table,
                                       TensorSpec* out);
absl::Status LodTensorToArrayGradInferMeta(const TensorSpec& x,
                                           const TensorSpec& rank_table,
                                           const TensorSpec& out_grad,
                                           TensorSpec* x_grad);

// out: an element of array, of rank 1 or more, with any number of rows and the
// levels of both.
absl::Status ArrayToLodTensorInferMeta(const TensorSpec& array,
                                       const TensorSpec& rank_table,
                                       TensorSpec* out);
absl::Status ArrayToLodTensorGradInferMeta(const TensorSpec& array,
                                           const TensorSpec& rank_table,
                                           const TensorSpec& out_grad,
                                           TensorSpec* array_grad);

// out: as x with any number of rows. i: int32 or int64, one element.
absl::Status ShrinkRnnMemoryInferMeta(const TensorSpec& x,
                                      const TensorSpec& rank_table,
                                      const TensorSpec& i, TensorSpec* out);

// out: as x.
absl::Status ReorderLodTensorByRankInferMeta(const TensorSpec& x,
                                             const TensorSpec& rank_table,
                                             TensorSpec* out);
absl::Status ReorderLodTensorByRankGradInferMeta(const TensorSpec& rank_table,
                                                 const TensorSpec& out,
                                                 const TensorSpec& out_grad,
                                                 TensorSpec* x_grad);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_TENSOR_ARRAY_RANK_TABLE_H_
