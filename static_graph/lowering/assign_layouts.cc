// SPDX-License-Identifier: Apache-2.0
#include "static_graph/lowering/assign_layouts.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/base/hash_map.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/selection/transform.h"
#include "static_graph/dialect/kernel_attributes.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/dialect/op_traits.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/block.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/builtin.h"
#include "static_graph/lowering/call_transforms.h"
#include "static_graph/lowering/operation_selection.h"

namespace switchyard::static_graph {
namespace {

bool IsReorder(const ir::Operation* op) {
  if (op == nullptr || !op->attribute(kTransformAttr)) return false;
  const std::string_view called = op->name().substr(kKernelPrefix.size());
  return called == phi::selection::OperatorName(
                       phi::selection::Transform::Kind::kReorder);
}

bool IsKernel(const ir::Operation& op) { return op.has<KernelCallTrait>(); }

// The bytes that a reorder of a value moves in each run, an unknown extent
// counting as 1. A constant is reordered once, when the program is made.
int64_t BytesOf(ir::Value value) {
  if (const ir::Operation* op = value.defining_op()) {
    if (op->name() == ir::kConstantOp) return 0;
  }
  Shape shape = value.tensor_type().shape();
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (!shape[axis].known()) shape[axis] = 1;
  }
  return CheckedByteSize(value.tensor_type().dtype(), shape).value_or(0);
}

// Whether all tensors of an operation are dense.
bool IsDense(const ir::Operation& op) {
  const std::vector<ir::Value> operands = op.operands(), results = op.results();
  const auto dense = [](ir::Value value) {
    return value.tensor_type() &&
           value.tensor_type().kind() == TensorKind::kDense;
  };
  return std::all_of(operands.begin(), operands.end(), dense) &&
         std::all_of(results.begin(), results.end(), dense);
}

// The layouts of one block.
class BlockLayouts {
 public:
  BlockLayouts(ir::Context* context, CallTransforms* transforms,
               ir::Block* block)
      : context_(context), transforms_(transforms), block_(*block) {}

  absl::StatusOr<bool> Run() {
    SY_RETURN_IF_ERROR(FindFlexible());
    Improve();
    SY_RETURN_IF_ERROR(Rewrite());
    MergeReorders();
    return changed_;
  }

 private:
  // An operation that may run on tensors of the layouts that it has (strided,
  // or what its kernel's layout function chose for strided ones) or of others.
  struct Flexible {
    ir::Operation* op;
    std::vector<LayoutDescriptor> operands, results;
    bool applied;
  };

  // A reorder of this block; those around it make strided values.
  bool IsOurs(const ir::Operation* op) const {
    return IsReorder(op) && op->parent() == &block_;
  }
  // The value that a chain of reorders begins with.
  ir::Value FindRoot(ir::Value value) const {
    while (IsOurs(value.defining_op())) {
      value = value.defining_op()->operand(0);
    }
    return value;
  }
  absl::Status FindFlexible();
  static bool StaysBlocked(const Flexible& flexible);
  absl::StatusOr<bool> MayTake(int operand, LayoutDescriptor layout,
                               Flexible* flexible) const;
  LayoutDescriptor Yielded(ir::Value root) const;
  LayoutDescriptor Wanted(const ir::OpOperand& use) const;
  void AddDemands(ir::Value value, std::vector<LayoutDescriptor>* layouts);
  int64_t CostOf(ir::Value root);
  int64_t CostAround(const ir::Operation& op);
  void Improve();
  absl::Status Rewrite();
  void MergeReorders();

  ir::Context* context_;
  CallTransforms* transforms_;
  ir::Block& block_;
  std::vector<Flexible> flexible_;                 // In the block's order.
  HashMap<const ir::Operation*, size_t> numbers_;  // Of flexible_.
  bool changed_ = false;
};

// The layout that a value has where it is made.
LayoutDescriptor BlockLayouts::Yielded(ir::Value root) const {
  const auto found = numbers_.find(root.defining_op());
  if (found == numbers_.end()) return root.tensor_type().layout();
  const Flexible& flexible = flexible_[found->second];
  return flexible.applied ? flexible.results[root.index()]
                          : root.tensor_type().layout();
}

// The layout in which an operation wants an operand.
LayoutDescriptor BlockLayouts::Wanted(const ir::OpOperand& use) const {
  const auto found = numbers_.find(use.owner());
  if (found == numbers_.end()) return use.value().tensor_type().layout();
  const Flexible& flexible = flexible_[found->second];
  return flexible.applied ? flexible.operands[use.index()]
                          : use.value().tensor_type().layout();
}

// Whether nothing that the operation has in blocks becomes strided.
bool BlockLayouts::StaysBlocked(const Flexible& flexible) {
  const ir::Operation& op = *flexible.op;
  for (int i = 0; i < op.num_operands(); ++i) {
    if (!op.operand(i).tensor_type().layout().strided() &&
        flexible.operands[i].strided()) {
      return false;
    }
  }
  for (ir::Value result : op.results()) {
    if (!result.tensor_type().layout().strided() &&
        flexible.results[result.index()].strided()) {
      return false;
    }
  }
  return true;
}

// Whether selection gives the operation its own kernel where operand number
// `operand`, and what else has its rank, is in a layout, and takes the operand
// so. What it then wants and yields is in `flexible`.
absl::StatusOr<bool> BlockLayouts::MayTake(int operand, LayoutDescriptor layout,
                                           Flexible* flexible) const {
  const ir::Operation& op = *flexible->op;
  SY_ASSIGN_OR_RETURN(const OpCall call, ReadCall(op));
  SY_ASSIGN_OR_RETURN(const phi::selection::Policy policy,
                      PolicyOf(op, transforms_->selector().table(),
                               transforms_->selector().options().admitted()));
  const auto selection =
      transforms_->selector().SelectInLayout(call, layout, policy);
  if (!selection.ok() || selection->kernel == nullptr ||
      !selection->residual.empty() ||
      KernelSymbol(*selection->kernel) != op.attribute(kKernelAttr).text()) {
    return false;
  }
  flexible->operands.assign(op.num_operands(), LayoutDescriptor());
  flexible->results.assign(op.num_results(), LayoutDescriptor());
  std::vector<int> operand_of_slot;
  int next = 0;
  for (ir::Value input : call.inputs) {
    operand_of_slot.push_back(next);
    if (!input) continue;
    if (Describes(layout, input.tensor_type().shape())) {
      flexible->operands[next] = layout;
    }
    ++next;
  }
  for (const phi::selection::Transform& transform : selection->transforms) {
    if (transform.kind != phi::selection::Transform::Kind::kReorder) {
      return false;
    }
    flexible->operands[operand_of_slot[transform.slot]] = transform.layout;
  }
  for (const phi::selection::Transform& transform :
       selection->output_transforms) {
    flexible->results[call.outputs[transform.slot].index()] = transform.layout;
  }
  return flexible->operands[operand] == layout && StaysBlocked(*flexible);
}

// Visits producers before users: an operation is asked with the layouts of its
// inputs.
absl::Status BlockLayouts::FindFlexible() {
  for (ir::Operation* op : block_) {
    if (!IsKernel(*op) || IsReorder(op) || !op->attribute(kKernelAttr) ||
        op->attribute(kCandidatesAttr) || op->attribute(kInplaceAttr) ||
        op->num_results() == 0 || !IsDense(*op)) {
      continue;
    }
    for (int i = 0; i < op->num_operands(); ++i) {
      const LayoutDescriptor layout = Yielded(FindRoot(op->operand(i)));
      if (layout.strided() || layout == op->operand(i).tensor_type().layout()) {
        continue;
      }
      Flexible flexible = {op, {}, {}, true};
      SY_ASSIGN_OR_RETURN(const bool takes, MayTake(i, layout, &flexible));
      if (!takes) continue;
      numbers_[op] = flexible_.size();
      flexible_.push_back(std::move(flexible));
      break;
    }
  }
  return absl::OkStatus();
}

// Adds the layouts in which the users of a value want it, each once.
void BlockLayouts::AddDemands(ir::Value value,
                              std::vector<LayoutDescriptor>* layouts) {
  for (const ir::OpOperand& use : value.uses()) {
    if (IsOurs(use.owner())) {
      AddDemands(use.owner()->result(0), layouts);
      continue;
    }
    const LayoutDescriptor wanted = Wanted(use);
    if (std::find(layouts->begin(), layouts->end(), wanted) == layouts->end()) {
      layouts->push_back(wanted);
    }
  }
}

// The bytes of the reorders of a value.
int64_t BlockLayouts::CostOf(ir::Value root) {
  std::vector<LayoutDescriptor> wanted;
  AddDemands(root, &wanted);
  const LayoutDescriptor yielded = Yielded(root);
  return BytesOf(root) * std::count_if(wanted.begin(), wanted.end(),
                                       [&](LayoutDescriptor layout) {
                                         return layout != yielded;
                                       });
}

int64_t BlockLayouts::CostAround(const ir::Operation& op) {
  std::vector<ir::Value> roots = op.results();
  for (ir::Value operand : op.operands()) {
    const ir::Value root = FindRoot(operand);
    if (std::find(roots.begin(), roots.end(), root) == roots.end()) {
      roots.push_back(root);
    }
  }
  int64_t cost = 0;
  for (ir::Value root : roots) cost += CostOf(root);
  return cost;
}

// Changes one operation at a time, users first. At the same cost an operation
// keeps the layouts that it has, and nothing turns back, so this ends.
void BlockLayouts::Improve() {
  for (bool improved = true; improved;) {
    improved = false;
    for (size_t i = flexible_.size(); i-- > 0;) {
      Flexible& flexible = flexible_[i];
      const int64_t before = CostAround(*flexible.op);
      flexible.applied = !flexible.applied;
      const int64_t after = CostAround(*flexible.op);
      const bool better = flexible.applied ? after < before : after <= before;
      improved |= better;
      if (!better) flexible.applied = !flexible.applied;
    }
  }
}

// Puts reorders around each operation that runs on a layout; MergeReorders()
// takes most of them away.
absl::Status BlockLayouts::Rewrite() {
  ir::Builder builder(context_);
  for (const Flexible& flexible : flexible_) {
    if (!flexible.applied) continue;
    changed_ = true;
    builder.SetInsertionPoint(flexible.op);
    for (int i = 0; i < flexible.op->num_operands(); ++i) {
      if (flexible.operands[i].strided()) continue;
      SY_ASSIGN_OR_RETURN(const ir::Value operand,
                          transforms_->Reorder(builder, flexible.op->operand(i),
                                               flexible.operands[i]));
      flexible.op->SetOperand(i, operand);
    }
    builder.SetInsertionPointAfter(flexible.op);
    for (ir::Value result : flexible.op->results()) {
      const LayoutDescriptor layout = flexible.results[result.index()];
      if (layout.strided()) continue;
      TensorSpec spec = result.tensor_type().spec();
      spec.layout = layout;
      result.SetType(context_->GetTensorType(spec));
      SY_RETURN_IF_ERROR(transforms_->ReorderResult(builder, result).status());
    }
  }
  return absl::OkStatus();
}

// Each value is reordered once to each layout that some user wants, from the
// layout in which it was made.
void BlockLayouts::MergeReorders() {
  HashMap<ir::Value, std::vector<ir::Value>> made;  // By root.
  for (ir::Operation* op : block_) {
    if (!IsReorder(op)) continue;
    const ir::Value root = FindRoot(op->operand(0));
    const ir::Value result = op->result(0);
    std::vector<ir::Value>& versions = made[root];
    if (versions.empty()) versions.push_back(root);
    const auto same = std::find_if(
        versions.begin(), versions.end(),
        [&](ir::Value version) { return version.type() == result.type(); });
    if (same != versions.end()) {
      result.ReplaceAllUsesWith(*same);
      changed_ = true;
      continue;
    }
    changed_ |= op->operand(0) != root;
    op->SetOperand(0, root);
    versions.push_back(result);
  }
}

absl::StatusOr<bool> AssignBlock(ir::Context* context,
                                 CallTransforms* transforms, ir::Block* block) {
  SY_ASSIGN_OR_RETURN(bool changed,
                      BlockLayouts(context, transforms, block).Run());
  for (ir::Operation* op : *block) {
    // The recursion is as deep as regions are nested: the verifier bounds it.
    for (int i = 0; i < op->num_regions(); ++i) {
      SY_ASSIGN_OR_RETURN(const bool inner,
                          AssignBlock(context, transforms, &op->block(i)));
      changed |= inner;
    }
  }
  return changed;
}

}  // namespace

absl::StatusOr<bool> AssignLayouts(ir::Program* program,
                                   const phi::KernelTable& table,
                                   const LoweringOptions& options) {
  CallSelector selector(&table, &options);
  CallTransforms transforms(program->context(), &selector);
  return AssignBlock(program->context(), &transforms, &program->entry());
}

}  // namespace switchyard::static_graph
