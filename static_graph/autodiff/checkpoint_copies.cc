// SPDX-License-Identifier: Apache-2.0
#include "static_graph/autodiff/checkpoint_copies.h"

#include <vector>

#include "static_graph/dialect/op_call.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/block.h"
#include "static_graph/ir/checkpoint_attributes.h"

namespace switchyard::static_graph {
namespace {

absl::Span<const int64_t> CheckpointsOf(const ir::Operation& op) {
  return op.attribute(ir::kCheckpointAttr)
      .As<absl::Span<const int64_t>>()
      .value_or(absl::Span<const int64_t>());
}

// The operations of a checkpoint up to `last`, in reverse order.
std::vector<const ir::Operation*> PartsOf(const ir::Operation& last,
                                          size_t depth) {
  const int64_t number = CheckpointsOf(last)[depth];
  std::vector<const ir::Operation*> parts;
  for (const ir::Operation* op = &last; op != nullptr; op = op->previous()) {
    const absl::Span<const int64_t> numbers = CheckpointsOf(*op);
    if (numbers.empty()) continue;
    if (numbers.size() <= depth || numbers[depth] != number) break;
    parts.push_back(op);
  }
  return parts;
}

}  // namespace

const ir::Operation* CheckpointCopies::CopyOf(const ir::Operation& op,
                                              size_t depth) const {
  const absl::Span<const int64_t> numbers = CheckpointsOf(op);
  const ir::Operation* copy = &op;
  for (size_t i = 0; i < depth; ++i) {
    const ir::Value result = copy->result(0);
    copy = Mapped(copies_.at(numbers[i]), result).defining_op();
  }
  return copy;
}

const ir::Operation& CheckpointCopies::Recomputed(const ir::Operation& op,
                                                  GradientSums* sums) {
  const size_t count = CheckpointsOf(op).size();
  for (size_t depth = 0; depth < count; ++depth) CopyParts(op, depth, sums);
  return *CopyOf(op, count);
}

void CheckpointCopies::CopyParts(const ir::Operation& last, size_t depth,
                                 GradientSums* sums) {
  const int64_t number = CheckpointsOf(last)[depth];
  if (Contains(copies_, number)) return;
  ir::ValueMap& map = copies_[number];
  const ir::Builder& builder = sums->builder();
  ir::Context* const context = builder.context();
  const ir::Operation* const before = builder.previous();
  ir::Operation* const after =
      before == nullptr ? builder.block()->front() : before->next();
  const std::vector<const ir::Operation*> parts = PartsOf(last, depth);
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    const ir::Operation& op = *CopyOf(**part, depth);
    if (!ir::IsPure(op)) continue;
    ir::OperationPtr copy = ir::Clone(op, map);
    copy->RemoveAttribute(ir::kCheckpointAttr);
    if (FindDialectOp(*copy) != nullptr) {
      copy->SetAttribute(context->GetString(ir::kRecomputedAttr),
                         context->GetAttribute(AttrRef(number)));
    }
    builder.block()->Insert(copy.release(), after);
  }
  for (const auto& [value, copy] : map) sums->AddCopy(value, copy);
}

}  // namespace switchyard::static_graph
