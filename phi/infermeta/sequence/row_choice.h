// SPDX-License-Identifier: Apache-2.0
// InferMeta of choices among rows or sequences, of which only the run knows how
// many are kept.
#ifndef SWITCHYARD_PHI_INFERMETA_SEQUENCE_ROW_CHOICE_H_
#define SWITCHYARD_PHI_INFERMETA_SEQUENCE_ROW_CHOICE_H_

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: any number of rows of ins, in sequences; loss_weight: float32 [any
// number, 1], index_map: int64 [any number, 3], with a sequence a row. ins_tag
// and filter_tag: int64.
absl::Status FilterByInstagInferMeta(const TensorSpec& ins,
                                     const TensorSpec& ins_tag,
                                     const TensorSpec& filter_tag,
                                     TensorSpec* out, TensorSpec* loss_weight,
                                     TensorSpec* index_map);

// out_true, out_false: any number of rows of x, with its levels of sequences
// from `level` on. mask: bool, [items] or [items, 1].
absl::Status SplitLodTensorInferMeta(const TensorSpec& x,
                                     const TensorSpec& mask, int level,
                                     TensorSpec* out_true,
                                     TensorSpec* out_false);

// out: the rows of in_true and in_false, which differ in their number alone,
// with the levels of x. mask: as above.
absl::Status MergeLodTensorInferMeta(const TensorSpec& x,
                                     const TensorSpec& mask,
                                     const TensorSpec& in_true,
                                     const TensorSpec& in_false, int level,
                                     TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_SEQUENCE_ROW_CHOICE_H_
