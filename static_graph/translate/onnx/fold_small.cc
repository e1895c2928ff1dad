// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx/fold_small.h"

#include "static_graph/ir/builder.h"
#include "static_graph/ir/builtin.h"

namespace switchyard::static_graph {
namespace {

constexpr int64_t kMaxElements = 64;
constexpr int64_t kMaxOperand = 4096;

bool IsSmall(ir::Value value, int64_t most) {
  const auto type = value.type().As<ir::TensorType>();
  if (!type || type.kind() != TensorKind::kDense || !type.shape().known()) {
    return false;
  }
  const absl::StatusOr<int64_t> count = type.shape().NumElements();
  return count.ok() && *count <= most;
}

bool IsCandidate(const ir::Operation& op) {
  if (!op.has<ir::PureTrait>() || op.has<ir::RandomTrait>() ||
      op.has<ir::ConstantTrait>() || op.num_regions() > 0 ||
      op.num_results() == 0) {
    return false;
  }
  for (const ir::Value operand : op.operands()) {
    const ir::Operation* const from = operand.defining_op();
    if (from == nullptr || !from->has<ir::ConstantTrait>() ||
        !IsSmall(operand, kMaxOperand)) {
      return false;
    }
  }
  for (const ir::Value result : op.results()) {
    if (!IsSmall(result, kMaxElements)) return false;
  }
  return true;
}

}  // namespace

std::vector<ir::Value> FoldSmall(ir::Operation* op, ir::Context* context,
                                 const FoldConstants& fold) {
  if (!fold || !IsCandidate(*op)) return {};
  std::vector<ir::Attribute> operands;
  for (const ir::Value operand : op->operands()) {
    operands.push_back(operand.defining_op()->attribute(ir::kValue));
  }
  const absl::StatusOr<std::vector<ir::Attribute>> results =
      fold(*op, operands);
  if (!results.ok() ||
      results->size() != static_cast<size_t>(op->num_results())) {
    return {};
  }
  ir::Builder builder(context);
  builder.SetInsertionPoint(op);
  std::vector<ir::Value> constants;
  for (size_t i = 0; i < results->size(); ++i) {
    if ((*results)[i].constant_type() !=
        op->result(static_cast<int>(i)).type()) {
      return {};
    }
    constants.push_back(builder.Constant((*results)[i]));
  }
  return constants;
}

}  // namespace switchyard::static_graph
