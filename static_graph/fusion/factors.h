// SPDX-License-Identifier: Apache-2.0
// Numbers that values are multiplied by, read from operations of the dialect
// `op`.
#ifndef SWITCHYARD_STATIC_GRAPH_FUSION_FACTORS_H_
#define SWITCHYARD_STATIC_GRAPH_FUSION_FACTORS_H_

#include <optional>

#include "static_graph/ir/operation.h"

namespace switchyard::static_graph {

// Returns the number that a constant of one element is; nullopt for any other
// value, null too.
std::optional<double> ReadConstantNumber(ir::Value value);

// A value and the number that an operation has as its other operand.
struct WithNumber {
  ir::Value value;
  double number;
  bool first;  // The value is the first operand.
};
// Reads the operands of an operation with `result`: nullopt unless one is a
// constant of one element and the other has the type of the result.
std::optional<WithNumber> ReadNumber(ir::Value x, ir::Value y,
                                     ir::Value result);

// factor * value.
struct Scaled {
  double factor;
  ir::Value value;
};
// Takes factors off a value: scales without a bias, products with and quotients
// by constants of one element. As deep as the program has them in a row.
Scaled WithoutFactors(ir::Value value);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FUSION_FACTORS_H_
