// SPDX-License-Identifier: Apache-2.0
#include "static_graph/fusion/squeeze_excite_fusion.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "static_graph/dialect/conv2d_epilogue.gen.h"
#include "static_graph/dialect/multiply.gen.h"
#include "static_graph/dialect/pool2d.gen.h"
#include "static_graph/dialect/scale.gen.h"
#include "static_graph/dialect/squeeze_excite.gen.h"
#include "static_graph/fusion/conv_patterns.h"
#include "static_graph/fusion/replacement.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph {
namespace {

// Images whose channels come first, each channel times a gate that two
// convolutions of 1 x 1 make of the means of all channels, and a shift of it.
// Refers to the operations, which must stay.
struct SqueezeExcitePattern {
  struct Layer {
    ir::Value filter, bias;  // `bias` may be null.
    PostOps post_ops;
  };
  ir::Value x;
  Layer squeeze, excite;
  double shift = 0;
};

using Ints = absl::Span<const int>;

// The operation that makes `value`, if nothing else uses it.
const ir::Operation* OwnMaker(ir::Value value) {
  return value && value.has_one_use() ? value.defining_op() : nullptr;
}

bool AllAre(Ints numbers, int expected) {
  return std::all_of(numbers.begin(), numbers.end(),
                     [expected](int number) { return number == expected; });
}

// A fused convolution of 1 x 1, of images of one pixel, with nothing after its
// activation function.
std::optional<SqueezeExcitePattern::Layer> ReadLayer(
    const Conv2dEpilogueOp& conv) {
  if (conv.residual() || conv.out_scale() || conv.out_shift()) {
    return std::nullopt;
  }
  const Shape& filter = conv.filter().tensor_type().shape();
  if (filter.rank() != 4 || filter[2] != Dim(1) || filter[3] != Dim(1) ||
      conv.groups() != 1 || !AllAre(conv.strides(), 1) ||
      !AllAre(conv.paddings(), 0)) {
    return std::nullopt;
  }
  return SqueezeExcitePattern::Layer{conv.filter(), conv.bias(),
                                     conv.post_ops()};
}

// Whether the call gives the mean of each channel of its operand.
bool IsMeanOfChannels(const Pool2dOp& pool) {
  if (pool.pooling_type() != "avg" || pool.data_format() != "NCHW") {
    return false;
  }
  if (pool.global_pooling()) return true;
  if (!pool.adaptive()) return false;
  const absl::Span<const int64_t> size = pool.kernel_size();
  return std::all_of(size.begin(), size.end(),
                     [](int64_t extent) { return extent == 1; });
}

// Reads x times a gate.
std::optional<SqueezeExcitePattern> ReadGate(ir::Value x, ir::Value gate) {
  double shift = 0;
  const ir::Operation* last = OwnMaker(gate);
  if (last == nullptr) return std::nullopt;
  if (const auto shifted = ScaleOp::Match(*last)) {
    if (shifted->scale().ToDouble() != 1) return std::nullopt;
    shift = shifted->bias().ToDouble();
    last = OwnMaker(shifted->x());
    if (last == nullptr) return std::nullopt;
  }
  const auto excite = Conv2dEpilogueOp::Match(*last);
  if (!excite.has_value()) return std::nullopt;
  const ir::Operation* const middle = OwnMaker(excite->input());
  if (middle == nullptr) return std::nullopt;
  const auto squeeze = Conv2dEpilogueOp::Match(*middle);
  if (!squeeze.has_value()) return std::nullopt;
  const auto first = ReadLayer(*squeeze), second = ReadLayer(*excite);
  const ir::Operation* const mean = OwnMaker(squeeze->input());
  if (!first.has_value() || !second.has_value() || mean == nullptr) {
    return std::nullopt;
  }
  const auto pool = Pool2dOp::Match(*mean);
  if (!pool.has_value() || pool->x() != x || !IsMeanOfChannels(*pool) ||
      first->filter.tensor_type().shape()[1] !=
          second->filter.tensor_type().shape()[0]) {
    return std::nullopt;
  }
  return SqueezeExcitePattern{x, *first, *second, shift};
}

// Matches the product `op`, if the intermediate values have no other users. The
// convolutions are in the form that the pass conv_fusion gives them.
std::optional<SqueezeExcitePattern> ReadSqueezeExcite(const ir::Operation& op) {
  const auto product = MultiplyOp::Match(op);
  if (!product.has_value()) return std::nullopt;
  const ir::Value operands[] = {product->x(), product->y()};
  for (const int i : {0, 1}) {
    if (op.result(0).type() != operands[i].type()) continue;
    if (auto read = ReadGate(operands[i], operands[1 - i])) return read;
  }
  return std::nullopt;
}

absl::StatusOr<ir::Value> BuildSqueezeExcite(
    ir::Builder& builder, const SqueezeExcitePattern& pattern) {
  SY_ASSIGN_OR_RETURN(
      const SqueezeExciteOp fused,
      SqueezeExciteOp::Build(
          builder, pattern.x, pattern.squeeze.filter, pattern.squeeze.bias,
          pattern.excite.filter, pattern.excite.bias, pattern.squeeze.post_ops,
          pattern.excite.post_ops, static_cast<float>(pattern.shift)));
  return fused.out();
}

}  // namespace

absl::StatusOr<bool> SqueezeExciteFusion::Run(ir::Program& program) {
  bool changed = false;
  ir::Builder builder(program.context());
  for (ir::Operation* op : ir::AllOperations(program.entry())) {
    const std::optional<SqueezeExcitePattern> block = ReadSqueezeExcite(*op);
    if (!block.has_value()) continue;
    const Replacement replacement(may_replace_, op);
    builder.SetInsertionPoint(op);
    absl::StatusOr<ir::Value> fused = BuildSqueezeExcite(builder, *block);
    SY_ASSIGN_OR_RETURN(const bool replaced, replacement.Put(std::move(fused)));
    changed |= replaced;
  }
  return changed;
}

}  // namespace switchyard::static_graph
