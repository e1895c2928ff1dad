// SPDX-License-Identifier: Apache-2.0
#include "static_graph/fusion/sum_pattern.h"

#include "static_graph/dialect/add.gen.h"
#include "static_graph/dialect/elementwise_add.gen.h"

namespace switchyard::static_graph {

std::optional<SumPattern> ReadSum(const ir::Operation& op) {
  if (const auto sum = AddOp::Match(op)) return SumPattern{sum->x(), sum->y()};
  if (const auto sum = ElementwiseAddOp::Match(op)) {
    return SumPattern{sum->x(), sum->y(), sum->axis()};
  }
  return std::nullopt;
}

}  // namespace switchyard::static_graph
