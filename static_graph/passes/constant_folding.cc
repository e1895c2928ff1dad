// SPDX-License-Identifier: Apache-2.0
#include "static_graph/passes/constant_folding.h"

#include <optional>
#include <vector>

#include "framework/base/checked_math.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/builtin.h"

namespace switchyard::static_graph {
namespace {

// Beyond it a constant costs more in the program than its operation at run
// time.
constexpr int64_t kMaxFoldedBytes = 1 << 16;

bool IsConstant(const ir::Operation* op) {
  return op != nullptr && op->has<ir::ConstantTrait>();
}

bool IsSmall(ir::TensorType type) {
  if (type.kind() != TensorKind::kDense || !type.shape().known()) return false;
  const absl::StatusOr<int64_t> count = type.shape().NumElements();
  if (!count.ok()) return false;
  const std::optional<int64_t> bytes =
      CheckedMultiply(*count, static_cast<int64_t>(ElementSize(type.dtype())));
  return bytes.has_value() && *bytes <= kMaxFoldedBytes;
}

bool IsCandidate(const ir::Operation& op) {
  if (!op.has<ir::PureTrait>() || op.has<ir::RandomTrait>() ||
      op.num_regions() > 0 || op.num_results() == 0 || IsConstant(&op)) {
    return false;
  }
  for (ir::Value operand : op.operands()) {
    if (!IsConstant(operand.defining_op())) return false;
  }
  for (ir::Value result : op.results()) {
    if (!IsSmall(result.tensor_type())) return false;
  }
  return true;
}

// The results' constants; nothing if the operation cannot be run now.
std::vector<ir::Attribute> Evaluate(const FoldFunction& fold,
                                    const ir::Operation& op) {
  std::vector<ir::Attribute> operands;
  for (ir::Value operand : op.operands()) {
    operands.push_back(operand.defining_op()->attribute(ir::kValue));
  }
  absl::StatusOr<std::vector<ir::Attribute>> results = fold(op, operands);
  if (!results.ok() ||
      results->size() != static_cast<size_t>(op.num_results())) {
    return {};
  }
  for (int i = 0; i < op.num_results(); ++i) {
    const ir::Attribute result = (*results)[static_cast<size_t>(i)];
    if (result.constant_type() != op.result(i).type()) return {};
  }
  return *std::move(results);
}

}  // namespace

absl::StatusOr<bool> ConstantFolding::Run(ir::Program& program) {
  bool changed = false;
  if (!fold_) return changed;
  for (ir::Operation* op : ir::AllOperations(program.entry())) {
    if (!IsCandidate(*op)) continue;
    const std::vector<ir::Attribute> constants = Evaluate(fold_, *op);
    if (constants.empty()) continue;
    ir::Builder builder(program.context());
    builder.SetInsertionPoint(op);
    for (int i = 0; i < op->num_results(); ++i) {
      const ir::Value constant =
          builder.Constant(constants[static_cast<size_t>(i)]);
      ir::Value(constant).SetHint(op->result(i).hint_attribute());
      op->result(i).ReplaceAllUsesWith(constant);
    }
    op->Erase();
    changed = true;
  }
  return changed;
}

}  // namespace switchyard::static_graph
