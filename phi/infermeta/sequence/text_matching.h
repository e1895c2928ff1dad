// SPDX-License-Identifier: Apache-2.0
// InferMeta of operators on sequences whose elements are matrices of extents of
// their own, and on trees.
#ifndef SWITCHYARD_PHI_INFERMETA_SEQUENCE_TEXT_MATCHING_H_
#define SWITCHYARD_PHI_INFERMETA_SEQUENCE_TEXT_MATCHING_H_

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: [any number, 1], in sequences; tmp: [rows of x * dim_t * width, 1]. x:
// [rows, inner], y: [rows, width], w: [inner, dim_t, width].
absl::Status MatchMatrixTensorInferMeta(const TensorSpec& x,
                                        const TensorSpec& y,
                                        const TensorSpec& w, int dim_t,
                                        TensorSpec* out, TensorSpec* tmp);

// out: [rows of row, channel_num * number of topks], with its sequences; pos:
// int32 [any number]. x: one element a row. topks: one number or more, each 1
// or more, as channel_num.
absl::Status SequenceTopkAvgPoolingInferMeta(const TensorSpec& x,
                                             const TensorSpec& row,
                                             const TensorSpec& column,
                                             absl::Span<const int> topks,
                                             int channel_num, TensorSpec* out,
                                             TensorSpec* pos);

// out, col: [any number, 1], in sequences. x: one element a row; w:
// [output_channel, input_channel * kernel_h * kernel_w]. Attributes are 1 or
// more.
absl::Status VarConv2dInferMeta(const TensorSpec& x, const TensorSpec& row,
                                const TensorSpec& column, const TensorSpec& w,
                                int input_channel, int output_channel,
                                int stride_h, int stride_w, int kernel_h,
                                int kernel_w, TensorSpec* out, TensorSpec* col);

// out: [batch, nodes, outputs, filters] for nodes_vector [batch, nodes,
// features], edge_set int32 [batch, edges, 2] and filter [features, 3, outputs,
// filters]. max_depth: 1 or more.
absl::Status TreeConvInferMeta(const TensorSpec& nodes_vector,
                               const TensorSpec& edge_set,
                               const TensorSpec& filter, int max_depth,
                               TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_SEQUENCE_TEXT_MATCHING_H_
