// SPDX-License-Identifier: Apache-2.0
#include "static_graph/lowering/lower.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "phi/selection/composite.h"
#include "static_graph/dialect/kernel_attributes.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/dialect/op_traits.h"
#include "static_graph/ir/block.h"
#include "static_graph/ir/value_form.h"
#include "static_graph/lowering/assign_state_memory.h"
#include "static_graph/lowering/call_lowering.h"
#include "static_graph/lowering/expand_composites.h"
#include "static_graph/lowering/operation_selection.h"
#include "static_graph/lowering/write_states.h"

namespace switchyard::static_graph {
namespace {

absl::Status LowerBlock(ir::Block& block, CallLowering* calls) {
  for (ir::Operation* op : block) {
    for (int i = 0; i < op->num_regions(); ++i) {
      SY_RETURN_IF_ERROR(LowerBlock(op->block(i), calls));
    }
    if (op->has<KernelCallTrait>()) {
      return absl::InvalidArgumentError(absl::StrCat(
          std::string(op->name()), ": the operation is lowered already"));
    }
    const auto* lowering = op->interface<LoweringInterface>();
    if (lowering == nullptr) continue;
    const ir::Location location = op->location();  // `op` is erased.
    SY_RETURN_IF_ERROR(ir::AtLocation(lowering->lower(op, calls), location));
  }
  return absl::OkStatus();
}

// Whether an operation that has a composite, and may have kernels, is composed.
absl::StatusOr<bool> Composes(const ir::Operation& op,
                              const phi::KernelTable& table,
                              const CallSelector& selector) {
  const DialectOp& record = *FindDialectOp(op);
  const phi::OpKernels* const op_kernels = table.Find(record.info->name);
  if (op_kernels == nullptr) return record.composite_only;
  SY_ASSIGN_OR_RETURN(const phi::selection::Policy policy,
                      PolicyOf(op, table, selector.options().admitted()));
  if (!record.composite_only &&
      phi::selection::PrefersComposite(*op_kernels, policy)) {
    return true;
  }
  // Kernels of another place are chosen when it is copied there.
  if (op.attribute(kOpDeviceAttr)) return record.composite_only;
  SY_ASSIGN_OR_RETURN(const OpCall call, ReadCall(op));
  AskedCall asked;
  SY_RETURN_IF_ERROR(Annotate(selector.Ask(call, &asked), record.info->name));
  asked.query.composes = true;
  const auto selected =
      phi::selection::Select(*op_kernels, asked.query, policy);
  // That nothing answers is said where the kernel is chosen.
  return selected.ok() && selected->composed;
}

}  // namespace

absl::StatusOr<ir::Program> Lower(const ir::Program& program,
                                  const phi::KernelTable& table,
                                  const LoweringOptions& options) {
  ir::Program lowered = program.Clone();
  SY_RETURN_IF_ERROR(LowerInPlace(&lowered, table, options));
  return lowered;
}

absl::Status LowerInPlace(ir::Program* program, const phi::KernelTable& table,
                          const LoweringOptions& options) {
  SY_RETURN_IF_ERROR(ir::CheckValueForm(program->entry()));
  CallLowering calls(program->context(), &table, &options);
  SY_RETURN_IF_ERROR(ExpandComposites(program, [&](const ir::Operation& op) {
    return Composes(op, table, calls.selector());
  }));
  SY_RETURN_IF_ERROR(LowerBlock(program->entry(), &calls));
  SY_RETURN_IF_ERROR(AssignStateMemory(program, &calls.transforms()));
  // A device's memory is not kept from the host.
  if (options.place == Place::Cpu()) WriteStatesInPlace(table, program);
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
