// SPDX-License-Identifier: Apache-2.0
#include "static_graph/fusion/factors.h"

#include <cstring>

#include "static_graph/dialect/divide.gen.h"
#include "static_graph/dialect/multiply.gen.h"
#include "static_graph/dialect/scale.gen.h"
#include "static_graph/ir/builtin.h"

namespace switchyard::static_graph {

std::optional<double> ReadConstantNumber(ir::Value value) {
  const ir::Operation* const op = value ? value.defining_op() : nullptr;
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

std::optional<WithNumber> ReadNumber(ir::Value x, ir::Value y,
                                     ir::Value result) {
  if (const std::optional<double> number = ReadConstantNumber(y);
      number.has_value() && result.type() == x.type()) {
    return WithNumber{x, *number, true};
  }
  if (const std::optional<double> number = ReadConstantNumber(x);
      number.has_value() && result.type() == y.type()) {
    return WithNumber{y, *number, false};
  }
  return std::nullopt;
}

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

}  // namespace switchyard::static_graph
