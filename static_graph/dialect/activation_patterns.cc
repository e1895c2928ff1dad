// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/activation_patterns.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/named_call.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/builtin.h"

namespace switchyard::static_graph {
namespace {

constexpr char kScaleOp[] = "scale";
constexpr char kProductOp[] = "multiply";

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
std::optional<WithNumber> ReadNumber(const NamedCall& call) {
  for (const int i : {1, 0}) {
    const std::optional<double> number = NumberOf(call.input(i));
    const ir::Value value = call.input(1 - i);
    if (number.has_value() && call.output(0).type() == value.type()) {
      return WithNumber{value, *number, i == 1};
    }
  }
  return std::nullopt;
}

bool IsSum(const NamedCall& call) {
  return call.Is("add") || call.Is("elementwise_add");
}
bool IsProduct(const NamedCall& call) { return call.Is(kProductOp); }
bool IsQuotient(const NamedCall& call) { return call.Is("divide"); }

// Whether `value` is x + 3.
bool IsThreeMore(ir::Value value, ir::Value x) {
  const ir::Operation* const op = value.defining_op();
  if (op == nullptr) return false;
  const NamedCall call(*op);
  if (call.Is(kScaleOp)) {
    return call.input(0) == x && call.Get<Scalar>("scale").ToDouble() == 1 &&
           call.Get<Scalar>("bias").ToDouble() == 3;
  }
  if (!IsSum(call)) return false;
  const std::optional<WithNumber> sum = ReadNumber(call);
  return sum.has_value() && sum->value == x && sum->number == 3;
}

// Reads `factor` times x times `gate`.
std::optional<GatedPattern> ReadProduct(double factor, ir::Value x,
                                        ir::Value gate) {
  const ir::Operation* const op = gate.defining_op();
  if (op == nullptr || gate.type() != x.type()) return std::nullopt;
  const NamedCall call(*op);
  if (call.Is("sigmoid") && call.input(0) == x && factor == 1) {
    return GatedPattern{x, "silu"};
  }
  if (call.Is("hardsigmoid") && call.input(0) == x && factor == 1 &&
      IsAbout(call.Get<double>("slope"), 1.0 / 6) &&
      call.Get<double>("offset") == 0.5) {
    return GatedPattern{x, "hardswish"};
  }
  const bool clips =
      call.Is("relu6") ||
      (call.Is("clip") && call.Get<Scalar>("min").ToDouble() == 0 &&
       call.Get<Scalar>("max").ToDouble() == 6);
  if (clips && IsAbout(factor, 1.0 / 6) && IsThreeMore(call.input(0), x)) {
    return GatedPattern{x, "hardswish"};
  }
  return std::nullopt;
}

}  // namespace

Scaled WithoutFactors(ir::Value value) {
  double factor = 1;
  while (const ir::Operation* const op = value.defining_op()) {
    const NamedCall call(*op, {kScaleOp, kProductOp, "divide"});
    if (call.Is(kScaleOp) && call.Get<Scalar>("bias").ToDouble() == 0) {
      factor *= call.Get<Scalar>("scale").ToDouble();
      value = call.input(0);
      continue;
    }
    if (!IsProduct(call) && !IsQuotient(call)) break;
    const std::optional<WithNumber> by = ReadNumber(call);
    if (!by.has_value() || (IsQuotient(call) && !by->first)) break;
    factor = IsProduct(call) ? factor * by->number : factor / by->number;
    value = by->value;
  }
  return {factor, value};
}

std::optional<GatedPattern> ReadGated(const ir::Operation& op) {
  if (op.num_results() != 1) return std::nullopt;
  const Scaled whole = WithoutFactors(op.result(0));
  if (whole.value.defining_op() == nullptr) return std::nullopt;
  const NamedCall product(*whole.value.defining_op(), {kProductOp});
  if (!IsProduct(product)) return std::nullopt;
  const Scaled a = WithoutFactors(product.input(0));
  const Scaled b = WithoutFactors(product.input(1));
  const double factor = whole.factor * a.factor * b.factor;
  std::optional<GatedPattern> read = ReadProduct(factor, a.value, b.value);
  if (!read.has_value()) read = ReadProduct(factor, b.value, a.value);
  if (!read.has_value() || read->x.type() != op.result(0).type()) {
    return std::nullopt;
  }
  return read;
}

bool IsInactiveDropout(const ir::Operation& op) {
  const NamedCall call(op, {"dropout"});
  return call.Is("dropout") && call.Get<bool>("is_test") &&
         call.Get<std::string_view>("mode") == "upscale_in_train";
}

std::optional<GatedSumPattern> ReadGatedSum(const ir::Operation& op) {
  const NamedCall sum(op, {"add", "elementwise_add"});
  if (!IsSum(sum)) return std::nullopt;
  for (const int i : {0, 1}) {
    const ir::Value x = sum.input(i), scaled = sum.input(1 - i);
    if (scaled.defining_op() == nullptr || !scaled.has_one_use()) continue;
    const NamedCall product(*scaled.defining_op(), {kProductOp});
    if (!IsProduct(product) || scaled.type() != x.type() ||
        op.result(0).type() != x.type()) {
      continue;
    }
    const ir::Value gate = product.input(product.input(0) == x ? 1 : 0);
    const bool both = product.input(0) == x || product.input(1) == x;
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
  const DialectOp* const scale = FindOperator(*builder.context(), kScaleOp);
  const DialectOp* const multiply =
      FindOperator(*builder.context(), kProductOp);
  if (scale == nullptr) return absl::NotFoundError(kScaleOp);
  if (multiply == nullptr) return absl::NotFoundError(kProductOp);
  const Scalar one(1.0);
  SY_ASSIGN_OR_RETURN(const ir::Value gate,
                      BuildOp(builder, *scale, {pattern.gate},
                              {AttrRef(one), AttrRef(one), AttrRef(true)}));
  return BuildOp(builder, *multiply, {pattern.x, gate});
}

absl::StatusOr<ir::Value> BuildGated(ir::Builder& builder,
                                     const GatedPattern& pattern) {
  const DialectOp* const op = FindOperator(*builder.context(), pattern.op);
  if (op == nullptr) return absl::NotFoundError(pattern.op);
  return BuildOp(builder, *op, {pattern.x});
}

}  // namespace switchyard::static_graph
