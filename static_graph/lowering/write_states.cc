// SPDX-License-Identifier: Apache-2.0
#include "static_graph/lowering/write_states.h"

#include <algorithm>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "static_graph/dialect/alias_analysis.h"
#include "static_graph/dialect/dialect_op.h"
#include "static_graph/dialect/kernel_attributes.h"
#include "static_graph/dialect/op_traits.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/block.h"
#include "static_graph/lowering/replaced_elements.h"

namespace switchyard::static_graph {
namespace {

// Returns for each argument of the entry block whether it is a state that gets
// another value.
std::vector<bool> UpdatedArguments(const ir::Program& program) {
  std::vector<bool> updated(program.entry().num_arguments(), false);
  for (const ir::NamedValue& state : program.new_states()) {
    const ir::Value old =
        program.FindArgument(ir::ArgumentRole::kState, state.name);
    if (old && old != state.value) updated[old.index()] = true;
  }
  return updated;
}

// Our own kernels alone promise to write nothing else.
bool IsOwnOnCpu(const ir::Operation& op, const phi::KernelTable& table) {
  const ir::Attribute symbol = op.attribute(kKernelAttr);
  const phi::OpKernels* const kernels =
      table.Find(FindDialectOp(op)->info->name);
  if (!symbol || kernels == nullptr || op.attribute(kCandidatesAttr) ||
      op.attribute(kFallbackAttr)) {
    return false;
  }
  const phi::KernelDef* const kernel = FindKernel(*kernels, symbol.text());
  return kernel != nullptr && kernel->key.backend == &backend_cpu &&
         kernel->thread_invariant;
}

// The value before transforms, which may have nothing to do.
ir::Value BeforeTransforms(ir::Value value) {
  const ir::Operation* op = value.defining_op();
  while (op != nullptr && op->attribute(kTransformAttr)) {
    value = op->operand(0);
    op = value.defining_op();
  }
  return value;
}

// True if an operand other than the first one lies in the memory of `root`.
bool ReadsFrom(const MemoryRoots& roots, const ir::Operation& op,
               ir::Value root) {
  for (int i = 1; i < op.num_operands(); ++i) {
    ir::Value value = op.operand(i);
    for (ir::Value before; before != value;) {
      before = value;
      value = roots.FindRoot(BeforeTransforms(value));
    }
    if (value == root) return true;
  }
  return false;
}

// The position of the last operation that uses a state's old value: itself, a
// view of it or what was written over it.
int LastUse(const MemoryRoots& roots, const ir::Block& block, ir::Value state) {
  int last = roots.LastUse(state);
  for (const ir::OpOperand& use : state.uses()) {
    const ir::Operation* user = use.owner();
    while (user->parent() != &block) user = user->parent_op();
    last = std::max(last, roots.GetPosition(user));
  }
  return last;
}

// True if the call may write its first operand, whose old value dies there.
bool MayWrite(const MemoryRoots& roots, const std::vector<bool>& updated,
              const ir::Operation& op) {
  const ir::Value base = op.operand(0);
  const ir::Value root = roots.FindRoot(base);
  const ir::TensorType type = op.result(0).tensor_type();
  return root.role() == ir::ArgumentRole::kState && updated[root.index()] &&
         !IsView(base) && base.type() == type && type.shape().known() &&
         type.kind() == TensorKind::kDense &&
         LastUse(roots, *op.parent(), root) == roots.GetPosition(&op) &&
         !ReadsFrom(roots, op, root);
}

}  // namespace

void WriteStatesInPlace(const phi::KernelTable& table, ir::Program* program) {
  ir::Context* const context = program->context();
  std::vector<ir::Operation*> calls;
  for (ir::Operation* op : program->entry()) {
    const DialectOp* const record = FindDialectOp(*op);
    if (record != nullptr && ReplacesElements(record->info->name) &&
        op->has<KernelCallTrait>() && IsOwnOnCpu(*op, table)) {
      calls.push_back(op);
    }
  }
  if (calls.empty()) return;
  const std::vector<bool> updated = UpdatedArguments(*program);
  MemoryRoots roots(program->entry());
  const int first[] = {0};
  for (ir::Operation* op : calls) {
    if (!MayWrite(roots, updated, *op)) continue;
    op->SetAttribute(context->GetString(kInplaceAttr),
                     context->GetAttribute(absl::MakeConstSpan(first)));
    roots.Join(op->result(0), op->operand(0));
  }
}

}  // namespace switchyard::static_graph
