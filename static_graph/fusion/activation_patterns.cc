// SPDX-License-Identifier: Apache-2.0
#include "static_graph/fusion/activation_patterns.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "static_graph/dialect/clip.gen.h"
#include "static_graph/dialect/divide.gen.h"
#include "static_graph/dialect/dropout.gen.h"
#include "static_graph/dialect/hardsigmoid.gen.h"
#include "static_graph/dialect/hardswish.gen.h"
#include "static_graph/dialect/multiply.gen.h"
#include "static_graph/dialect/relu6.gen.h"
#include "static_graph/dialect/scale.gen.h"
#include "static_graph/dialect/sigmoid.gen.h"
#include "static_graph/dialect/silu.gen.h"
#include "static_graph/fusion/sum_pattern.h"
#include "static_graph/ir/builtin.h"

namespace switchyard::static_graph {
namespace {

bool IsAbout(double number, double expected) {
  return std::abs(number - expected) <= 1e-6 * std::abs(expected);
}

// The number that a constant of one element is.
std::optional<double> NumberOf(ir::Value value) {
  const ir::Operation* const op = value.defining_op();
  if (op == nullptr || op->name() != ir::kConstantOp) return std::nullopt;
  const ir::Attribute constant = op->attribute(ir::kValue);
  const ir::TensorType type = constant.constant_type();
  if (type.shape().numel() != 1) return std::nullopt;
  if (type.dtype() == DataType::kFloat32) {
    float number;
    std::memcpy(&number, constant.bytes().data(), sizeof(number));
    return number;
  }
  if (type.dtype() == DataType::kFloat64) {
    double number;
    std::memcpy(&number, constant.bytes().data(), sizeof(number));
    return number;
  }
  return std::nullopt;
}

// A value and a number that an operation has as operands; `first` has the value
// first.
struct WithNumber {
  ir::Value value;
  double number;
  bool first;
};
std::optional<WithNumber> ReadNumber(ir::Value x, ir::Value y,
                                     ir::Value result) {
  if (const std::optional<double> number = NumberOf(y);
      number.has_value() && result.type() == x.type()) {
    return WithNumber{x, *number, true};
  }
  if (const std::optional<double> number = NumberOf(x);
      number.has_value() && result.type() == y.type()) {
    return WithNumber{y, *number, false};
  }
  return std::nullopt;
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

}  // namespace

Scaled WithoutFactors(ir::Value value) {
  double factor = 1;
  while (true) {
    if (const auto scale = ScaleOp::Match(value)) {
      if (scale->bias().ToDouble() != 0) break;
      factor *= scale->scale().ToDouble();
      value = scale->x();
      continue;
    }
    const auto product = MultiplyOp::Match(value);
    const auto quotient = DivideOp::Match(value);
    if (!product.has_value() && !quotient.has_value()) break;
    const std::optional<WithNumber> by =
        product.has_value() ? ReadNumber(product->x(), product->y(), value)
                            : ReadNumber(quotient->x(), quotient->y(), value);
    if (!by.has_value() || (quotient.has_value() && !by->first)) break;
    factor = product.has_value() ? factor * by->number : factor / by->number;
    value = by->value;
  }
  return {factor, value};
}

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

bool IsInactiveDropout(const ir::Operation& op) {
  const auto dropout = DropoutOp::Match(op);
  return dropout.has_value() && dropout->is_test() &&
         dropout->mode() == "upscale_in_train";
}

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

}  // namespace switchyard::static_graph
