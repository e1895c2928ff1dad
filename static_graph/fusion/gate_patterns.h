// SPDX-License-Identifier: Apache-2.0
// Squeeze-and-excite blocks, read from operations of the dialect `op`, for the
// pass squeeze_excite_fusion.
#ifndef SWITCHYARD_STATIC_GRAPH_FUSION_GATE_PATTERNS_H_
#define SWITCHYARD_STATIC_GRAPH_FUSION_GATE_PATTERNS_H_

#include <optional>

#include "framework/base/status.h"
#include "static_graph/fusion/conv_patterns.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph {

// Images whose channels come first, each channel times a gate that two
// convolutions of 1 x 1 make of the means of all channels, and a shift of it.
// Refers to the operations, which must stay.
struct SqueezeExcitePattern {
  struct Layer {
    ir::Value filter, bias;  // `bias` may be null.
    ActivationPattern activation;
  };
  ir::Value x;
  Layer squeeze, excite;
  double shift = 0;
};

// Reads the product `op`, where nothing else uses what lies between. The
// convolutions are those that the pass conv_fusion makes.
std::optional<SqueezeExcitePattern> ReadSqueezeExcite(const ir::Operation& op);

// Creates the call at the builder's insertion point. NotFound if the context
// has no such operator.
absl::StatusOr<ir::Value> BuildSqueezeExcite(
    ir::Builder& builder, const SqueezeExcitePattern& pattern);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FUSION_GATE_PATTERNS_H_
