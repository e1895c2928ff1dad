// SPDX-License-Identifier: Apache-2.0
// InferMeta of messages between the nodes of graphs.
#ifndef SWITCHYARD_PHI_INFERMETA_INDEXING_GRAPH_H_
#define SWITCHYARD_PHI_INFERMETA_INDEXING_GRAPH_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/types/attr_value.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: as x, with out_size rows where that is a number above 0. dst_count: an
// int32 for each row. src_index and dst_index are lists of equal length;

// reduce_op is "SUM", "MEAN", "MAX" or "MIN".
absl::Status SendURecvInferMeta(const TensorSpec& x,
                                const TensorSpec& src_index,
                                const TensorSpec& dst_index,
                                std::string_view reduce_op, AttrValues out_size,
                                TensorSpec* out, TensorSpec* dst_count);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_INDEXING_GRAPH_H_
