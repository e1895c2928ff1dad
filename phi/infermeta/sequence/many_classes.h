// SPDX-License-Identifier: Apache-2.0
// InferMeta of losses of a choice among many classes, and of classes by hash.
#ifndef SWITCHYARD_PHI_INFERMETA_SEQUENCE_MANY_CLASSES_H_
#define SWITCHYARD_PHI_INFERMETA_SEQUENCE_MANY_CLASSES_H_

#include <cstdint>

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// x: [rows, width]; label: int64, one for each row; w: [nodes, width] of the
// dtype of x, bias: one for each node, or null. path and code: int64 [rows,
// depth], both or none; without them num_classes, 2 or more, says the depth of
// the tree, whose nodes are one less. out: [rows, 1]; pre_out: [rows, depth].
absl::Status HsigmoidLossInferMeta(const TensorSpec& x, const TensorSpec& label,
                                   const TensorSpec& w, const TensorSpec* bias,
                                   const TensorSpec* path,
                                   const TensorSpec* code, int num_classes,
                                   TensorSpec* out, TensorSpec* pre_out);
absl::Status HsigmoidLossGradInferMeta(
    const TensorSpec& x, const TensorSpec& label, const TensorSpec& w,
    const TensorSpec* bias, const TensorSpec* path, const TensorSpec* code,
    const TensorSpec& pre_out, const TensorSpec& out_grad, int num_classes,
    TensorSpec* x_grad, TensorSpec* w_grad, TensorSpec* bias_grad);

// out: int64 [rows, num_hash, 1] for x [rows, width]. num_hash: 1 to 1,024;

// mod_by: 1 or more.
absl::Status RowHashInferMeta(const TensorSpec& x, int num_hash, int64_t mod_by,
                              TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_SEQUENCE_MANY_CLASSES_H_
