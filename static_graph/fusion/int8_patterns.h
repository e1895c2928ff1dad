// SPDX-License-Identifier: Apache-2.0
// Convolutions between quantisers, read from operations of the dialect `op`,
// and the integer convolutions that int8_fusion makes of them. Only this file
// knows which operators these are.
#ifndef SWITCHYARD_STATIC_GRAPH_FUSION_INT8_PATTERNS_H_
#define SWITCHYARD_STATIC_GRAPH_FUSION_INT8_PATTERNS_H_

#include <optional>

#include "absl/functional/function_ref.h"
#include "framework/base/status.h"
#include "static_graph/fusion/conv_patterns.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph {

// Numbers in whole steps of `scale` / 127: x as quantize_dequantize gives it.
struct QuantisedPattern {
  ir::Operation* op = nullptr;
  ir::Value x, scale;
};

// A convolution of a quantised image by a quantised filter, each channel of
// which may be multiplied by `factor`, with what conv2d_epilogue does with the
// sums. `bias`, `residual` and `factor` are null where absent.
struct Int8ConvPattern {
  ConvPattern conv;
  QuantisedPattern input, filter;
  ir::Value factor, bias, residual;
  ActivationPattern activation;
};

// Reads a convolution of float32 for which integers pay: of one group, of 256
// or more products for each sum, and not of single pixels. `is_fixed` says
// which values no run changes; the filter and all scales are of these. Nullopt
// for anything else.
std::optional<Int8ConvPattern> ReadInt8Conv(
    const ir::Operation& op, absl::FunctionRef<bool(ir::Value)> is_fixed);

// Returns the integers of a quantised image, made at the insertion point.
absl::StatusOr<ir::Value> BuildQuantised(ir::Builder& builder,
                                         const QuantisedPattern& image);
// Returns the float32 result of the convolution of `image`, which has the
// integers of its input.
absl::StatusOr<ir::Value> BuildInt8Conv(ir::Builder& builder,
                                        const Int8ConvPattern& pattern,
                                        ir::Value image);

// Returns the convolution whose float32 result nothing but `op`, which makes
// integers of it by one factor, reads; null if there is none.
ir::Operation* FindRequantised(const ir::Operation& op);
// Returns what `op` does of the result of `conv`, made by the convolution.
absl::StatusOr<ir::Value> BuildRequantised(ir::Builder& builder,
                                           const ir::Operation& conv,
                                           const ir::Operation& op);

// Returns true if the context has the operators that these functions make.
bool CanBuildInt8(const ir::Context& context);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FUSION_INT8_PATTERNS_H_
