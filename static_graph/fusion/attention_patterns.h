// SPDX-License-Identifier: Apache-2.0
// Attention, read from operations of the dialect `op`, for the pass
// attention_fusion.
#ifndef SWITCHYARD_STATIC_GRAPH_FUSION_ATTENTION_PATTERNS_H_
#define SWITCHYARD_STATIC_GRAPH_FUSION_ATTENTION_PATTERNS_H_

#include <optional>

#include "framework/base/status.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph {

// softmax(scale q k^T + mask) v.
struct AttentionPattern {
  ir::Value q, k, v;
  ir::Value mask;             // Null: none.
  bool k_transposed = false;  // The product has k itself in place of k^T.
  double scale = 1;
};

// Reads the product with v, `op`, where nothing else uses what lies between.
// The scale may stand at either factor, at their product, or in parts at all.
std::optional<AttentionPattern> ReadAttention(const ir::Operation& op);

// Creates the call at the builder's insertion point. NotFound if the context
// has no such operator.
absl::StatusOr<ir::Value> BuildAttention(ir::Builder& builder,
                                         const AttentionPattern& pattern);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FUSION_ATTENTION_PATTERNS_H_
