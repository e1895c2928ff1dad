// SPDX-License-Identifier: Apache-2.0
#include "static_graph/fusion/activation_fusion.h"

#include <cmath>
#include <optional>
#include <utility>

#include "static_graph/dialect/clip.gen.h"
#include "static_graph/dialect/hardsigmoid.gen.h"
#include "static_graph/dialect/hardswish.gen.h"
#include "static_graph/dialect/multiply.gen.h"
#include "static_graph/dialect/relu6.gen.h"
#include "static_graph/dialect/scale.gen.h"
#include "static_graph/dialect/sigmoid.gen.h"
#include "static_graph/dialect/silu.gen.h"
#include "static_graph/fusion/factors.h"
#include "static_graph/fusion/replacement.h"
#include "static_graph/fusion/sum_pattern.h"
#include "static_graph/ir/builder.h"

namespace switchyard::static_graph {
namespace {

// x times a gate that is a function of x.
struct GatedPattern {
  enum class Function { kHardswish, kSilu };
  ir::Value x;
  Function function;
};

// x + x * gate, of a gate that is broadcast to x, as squeeze-and-excite blocks
// with a shortcut have it.
struct GatedSumPattern {
  ir::Value x, gate;
};

bool IsAbout(double number, double expected) {
  return std::abs(number - expected) <= 1e-6 * std::abs(expected);
}

// Whether `value` is x + 3.
bool IsThreeMore(ir::Value value, ir::Value x) {
  const ir::Operation* const op = value.defining_op();
  if (op == nullptr) return false;
  if (const auto scale = ScaleOp::Match(*op)) {
    return scale->x() == x && scale->scale().ToDouble() == 1 &&
           scale->bias().ToDouble() == 3;
  }
  const std::optional<SumPattern> sum = ReadSum(*op);
  if (!sum.has_value()) return false;
  const std::optional<WithNumber> read = ReadNumber(sum->x, sum->y, value);
  return read.has_value() && read->value == x && read->number == 3;
}

// Returns the operand of a clip to [0, 6]; null for any other value.
ir::Value ReadClipped(ir::Value value) {
  if (const auto relu6 = Relu6Op::Match(value)) return relu6->x();
  const auto clip = ClipOp::Match(value);
  const bool clips = clip.has_value() && clip->min().ToDouble() == 0 &&
                     clip->max().ToDouble() == 6;
  return clips ? clip->x() : ir::Value();
}

// Reads `factor` times x times `gate`.
std::optional<GatedPattern> ReadProduct(double factor, ir::Value x,
                                        ir::Value gate) {
  using Function = GatedPattern::Function;
  if (gate.type() != x.type()) return std::nullopt;
  if (const auto sigmoid = SigmoidOp::Match(gate)) {
    if (sigmoid->x() != x || factor != 1) return std::nullopt;
    return GatedPattern{x, Function::kSilu};
  }
  if (const auto gated = HardsigmoidOp::Match(gate)) {
    if (gated->x() != x || factor != 1 || !IsAbout(gated->slope(), 1.0 / 6) ||
        gated->offset() != 0.5) {
      return std::nullopt;
    }
    return GatedPattern{x, Function::kHardswish};
  }
  const ir::Value clipped = ReadClipped(gate);
  if (clipped && IsAbout(factor, 1.0 / 6) && IsThreeMore(clipped, x)) {
    return GatedPattern{x, Function::kHardswish};
  }
  return std::nullopt;
}

// Reads what `op`, the last of them, computes:
//   hard-swish   x * clip(x + 3, 0, 6) / 6, x * relu6(x + 3) / 6, or x times a
//                hard-sigmoid of slope 1/6 and offset 1/2
//   SiLU         x * sigmoid(x)
// A factor may be a scale, or a product with or quotient by a constant of one
// element, at any place. Numbers may be off by 1e-6 of themselves.
std::optional<GatedPattern> ReadGated(const ir::Operation& op) {
  if (op.num_results() != 1) return std::nullopt;
  const Scaled whole = WithoutFactors(op.result(0));
  const auto product = MultiplyOp::Match(whole.value);
  if (!product.has_value()) return std::nullopt;
  const Scaled a = WithoutFactors(product->x());
  const Scaled b = WithoutFactors(product->y());
  const double factor = whole.factor * a.factor * b.factor;
  std::optional<GatedPattern> read = ReadProduct(factor, a.value, b.value);
  if (!read.has_value()) read = ReadProduct(factor, b.value, a.value);
  if (!read.has_value() || read->x.type() != op.result(0).type()) {
    return std::nullopt;
  }
  return read;
}

// Reads the sum `op`.
std::optional<GatedSumPattern> ReadGatedSum(const ir::Operation& op) {
  const std::optional<SumPattern> sum = ReadSum(op);
  if (!sum.has_value()) return std::nullopt;
  for (const ir::Value x : {sum->x, sum->y}) {
    const ir::Value scaled = x == sum->x ? sum->y : sum->x;
    const auto product = MultiplyOp::Match(scaled);
    if (!product.has_value() || !scaled.has_one_use() ||
        scaled.type() != x.type() || op.result(0).type() != x.type()) {
      continue;
    }
    const ir::Value gate = product->x() == x ? product->y() : product->x();
    const bool both = product->x() == x || product->y() == x;
    const ir::TensorType type = gate.tensor_type();
    if (both && type.dtype() == x.tensor_type().dtype() &&
        type.shape().rank() == x.tensor_type().shape().rank() &&
        type != x.type()) {
      return GatedSumPattern{x, gate};
    }
  }
  return std::nullopt;
}

// Creates x * (gate + 1), which goes over x once.
absl::StatusOr<ir::Value> BuildGatedSum(ir::Builder& builder,
                                        const GatedSumPattern& pattern) {
  const Scalar one(1.0);
  SY_ASSIGN_OR_RETURN(const ScaleOp gate,
                      ScaleOp::Build(builder, pattern.gate, one, one));
  SY_ASSIGN_OR_RETURN(const MultiplyOp product,
                      MultiplyOp::Build(builder, pattern.x, gate.out()));
  return product.out();
}

absl::StatusOr<ir::Value> BuildGated(ir::Builder& builder,
                                     const GatedPattern& pattern) {
  if (pattern.function == GatedPattern::Function::kSilu) {
    SY_ASSIGN_OR_RETURN(const SiluOp silu, SiluOp::Build(builder, pattern.x));
    return silu.out();
  }
  SY_ASSIGN_OR_RETURN(const HardswishOp hardswish,
                      HardswishOp::Build(builder, pattern.x));
  return hardswish.out();
}

}  // namespace

absl::StatusOr<bool> ActivationFusion::Run(ir::Program& program) {
  bool changed = false;
  ir::Builder builder(program.context());
  for (ir::Operation* op : ir::AllOperations(program.entry())) {
    const std::optional<GatedPattern> gated = ReadGated(*op);
    const std::optional<GatedSumPattern> sum = ReadGatedSum(*op);
    if (!gated.has_value() && !sum.has_value()) continue;
    const Replacement replacement(may_replace_, op);
    builder.SetInsertionPoint(op);
    absl::StatusOr<ir::Value> fused = gated.has_value()
                                          ? BuildGated(builder, *gated)
                                          : BuildGatedSum(builder, *sum);
    SY_ASSIGN_OR_RETURN(const bool replaced, replacement.Put(std::move(fused)));
    changed |= replaced;
  }
  return changed;
}

}  // namespace switchyard::static_graph
