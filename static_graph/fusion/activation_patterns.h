// SPDX-License-Identifier: Apache-2.0
// Activation functions of which programs have the parts, read from operations
// of the dialect `op`. The passes activation_fusion and
// identity_elimination ask here.
#ifndef SWITCHYARD_STATIC_GRAPH_FUSION_ACTIVATION_PATTERNS_H_
#define SWITCHYARD_STATIC_GRAPH_FUSION_ACTIVATION_PATTERNS_H_

#include <optional>

#include "framework/base/status.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph {

// x times a gate that is a function of x.
struct GatedPattern {
  enum class Function { kHardswish, kSilu };
  ir::Value x;
  Function function;
};

// Reads what `op`, the last of them, computes:
//   hard-swish   x * clip(x + 3, 0, 6) / 6, x * relu6(x + 3) / 6, or x times a
//                hard-sigmoid of slope 1/6 and offset 1/2
//   SiLU         x * sigmoid(x)
// A factor may be a scale, or a product with or quotient by a constant of one
// element, at any place. Numbers may be off by 1e-6 of themselves.
std::optional<GatedPattern> ReadGated(const ir::Operation& op);

// factor * value.
struct Scaled {
  double factor;
  ir::Value value;
};
// Takes factors off a value: scales without a bias, products with and quotients
// by constants of one element. As deep as the program has them in a row.
Scaled WithoutFactors(ir::Value value);

// Returns true for a dropout in the test phase that gives its operand as it is.
bool IsInactiveDropout(const ir::Operation& op);

// x + x * gate, of a gate that is broadcast to x, as squeeze-and-excite blocks
// with a shortcut have it.
struct GatedSumPattern {
  ir::Value x, gate;
};
// Reads the sum `op`.
std::optional<GatedSumPattern> ReadGatedSum(const ir::Operation& op);
// Creates x * (gate + 1), which goes over x once.
absl::StatusOr<ir::Value> BuildGatedSum(ir::Builder& builder,
                                        const GatedSumPattern& pattern);

// Creates the call at the builder's insertion point. NotFound if the context
// has no such operator.
absl::StatusOr<ir::Value> BuildGated(ir::Builder& builder,
                                     const GatedPattern& pattern);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FUSION_ACTIVATION_PATTERNS_H_
