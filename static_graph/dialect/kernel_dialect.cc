// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/kernel_dialect.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "static_graph/dialect/cf_dialect.h"
#include "static_graph/dialect/op_call.h"

namespace switchyard::static_graph {
namespace {

uint32_t TraitsOf(const phi::OpInfo& info) {
  uint32_t traits = 0;
  const auto add = [&](phi::Trait trait, ir::OpTrait ours) {
    if (info.has(trait)) traits |= ir::TraitBits({ours});
  };
  add(phi::Trait::kSideEffect, ir::OpTrait::kSideEffect);
  add(phi::Trait::kCommutative, ir::OpTrait::kCommutative);
  add(phi::Trait::kRandom, ir::OpTrait::kRandom);
  add(phi::Trait::kView, ir::OpTrait::kView);
  add(phi::Trait::kElementwise, ir::OpTrait::kElementwise);
  if (!info.has(phi::Trait::kSideEffect)) {
    traits |= ir::TraitBits({ir::OpTrait::kPure});
  }
  return traits;
}

// The output that result number `result` belongs to, and its place in it.
std::pair<int, int> OutputOf(const OpCall& call, int result) {
  int seen = 0;
  for (const auto [output, slot, value] : call.outputs.view()) {
    if (!value || seen++ != result) continue;
    return {output, slot - call.outputs.segments().begin(output)};
  }
  return {-1, 0};
}

// The operand that stands for input `argument`; in a list, entry `entry` of it.
int OperandOf(const OpCall& call, int argument, int entry) {
  if (argument < 0) return -1;
  const phi::ArgSegments segments = call.inputs.segments();
  const int slot = segments.begin(argument) +
                   (call.op->info->inputs[argument].list ? entry : 0);
  if (slot >= segments.end(argument) || !call.inputs[slot]) return -1;
  int operand = 0;
  for (int i = 0; i < slot; ++i) operand += call.inputs[i] ? 1 : 0;
  return operand;
}

ir::ResultAlias AliasOfResult(const ir::Operation& op, int result,
                              bool inplace) {
  ir::ResultAlias alias;
  const absl::StatusOr<OpCall> call = ReadCall(op);
  if (!call.ok()) return alias;
  const auto [output, entry] = OutputOf(*call, result);
  if (output < 0) return alias;
  const phi::OutputInfo& info = call->op->info->outputs[output];
  alias.view_of = OperandOf(*call, info.view_of, entry);
  if (inplace) alias.inplace_of = OperandOf(*call, info.inplace_of, entry);
  return alias;
}

ir::ResultAlias AliasOfOp(const ir::Operation& op, int result) {
  return AliasOfResult(op, result, /*inplace=*/false);
}

ir::ResultAlias AliasOfKernel(const ir::Operation& op, int result) {
  return AliasOfResult(op, result, /*inplace=*/true);
}

// Checks that the types of the results do not contradict InferMeta; a type may
// know more or less of a shape.
absl::Status VerifyResultTypes(const OpCall& call) {
  std::vector<ir::TensorType> types;
  for (ir::Value input : call.inputs) {
    types.push_back(input ? input.type() : ir::TensorType());
  }
  // Not std::vector<bool>, which has no data().
  absl::InlinedVector<bool, 8> wanted;
  for (ir::Value output : call.outputs) wanted.push_back(bool(output));
  SY_ASSIGN_OR_RETURN(
      const std::vector<MetaTensor> metas,
      InferMeta(*call.op->info, {{types, call.inputs.segments()},
                                 call.attrs,
                                 {wanted, call.outputs.segments()}}));
  for (size_t slot = 0; slot < metas.size(); ++slot) {
    if (!wanted[slot]) continue;
    const int output =
        call.outputs.segments().argument_of(static_cast<int>(slot));
    SY_RETURN_IF_ERROR(CheckInferred(call.op->info->outputs[output].name,
                                     metas[slot], call.outputs[slot].type()));
  }
  return absl::OkStatus();
}

absl::Status VerifyCall(const ir::Operation& op) {
  if (op.num_regions() != 0) {
    return ArgumentError("regions", "none", absl::StrCat(op.num_regions()));
  }
  SY_ASSIGN_OR_RETURN(const OpCall call, ReadCall(op));
  return VerifyResultTypes(call);
}

// Other layouts than strided are for kernels: lowering makes them.
absl::Status VerifyOp(const ir::Operation& op) {
  for (ir::Value result : op.results()) {
    if (result.type().layout().strided()) continue;
    return ArgumentError("layout", "strided in the dialect op",
                         Name(result.type().layout()));
  }
  return VerifyCall(op);
}

absl::Status VerifyKernel(const ir::Operation& op) {
  SY_RETURN_IF_ERROR(VerifyCall(op));
  if (!op.attribute(kKernelAttr) && !op.attribute(kCandidatesAttr)) {
    return ArgumentError(kKernelAttr, "given or have candidates", "neither");
  }
  const ir::Attribute inplace = op.attribute(kInplaceAttr);
  if (!inplace) return absl::OkStatus();
  const auto operands = inplace.As<absl::Span<const int>>();
  if (!operands.has_value() ||
      operands->size() != static_cast<size_t>(op.num_results())) {
    return ArgumentError(kInplaceAttr, "int32[] with a number for each result",
                         ToString(inplace));
  }
  for (int result = 0; result < op.num_results(); ++result) {
    const int operand = (*operands)[result];
    if (operand == -1) continue;
    if (operand != AliasOfKernel(op, result).inplace_of) {
      return ArgumentError(kInplaceAttr,
                           "an operand whose memory the operator may take",
                           absl::StrCat(operand));
    }
    if (op.operand(operand).type() != op.result(result).type()) {
      return ArgumentError(kInplaceAttr, ToString(op.result(result).type()),
                           ToString(op.operand(operand).type()));
    }
  }
  return absl::OkStatus();
}

std::string OperationName(std::string_view prefix, std::string_view name) {
  return std::string(prefix).append(name);
}

absl::Status CheckOwnAttributes(const phi::OpInfo& info) {
  for (const phi::AttrInfo& attr : info.attrs) {
    if (!IsKernelDialectAttribute(attr.name)) continue;
    return Annotate(
        ArgumentError("attribute name",
                      "other than those of the kernel dialect", attr.name),
        info.name);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterOpDialect(ir::Context* context,
                               absl::Span<const DialectOp* const> ops) {
  SY_RETURN_IF_ERROR(RegisterControlFlowDialect(context));
  for (const DialectOp* op : ops) {
    SY_RETURN_IF_ERROR(CheckOwnAttributes(*op->info));
    ir::OpDefinition definition;
    definition.name = OperationName(kOpPrefix, op->info->name);
    if (context->FindOp(definition.name) != nullptr) continue;
    definition.traits = TraitsOf(*op->info);
    definition.verify = &VerifyOp;
    definition.alias = &AliasOfOp;
    definition.record = op;
    SY_RETURN_IF_ERROR(context->RegisterOp(definition));
    definition.name = OperationName(kKernelPrefix, op->info->name);
    definition.verify = &VerifyKernel;
    definition.alias = &AliasOfKernel;
    for (const phi::OutputInfo& output : op->info->outputs) {
      if (output.inplace_of < 0) continue;
      definition.traits |= ir::TraitBits({ir::OpTrait::kInplace});
    }
    SY_RETURN_IF_ERROR(context->RegisterOp(std::move(definition)));
  }
  return absl::OkStatus();
}

const DialectOp* FindOperator(const ir::Context& context,
                              std::string_view name) {
  const ir::OpDefinition* definition =
      context.FindOp(OperationName(kOpPrefix, name));
  if (definition == nullptr) return nullptr;
  return static_cast<const DialectOp*>(definition->record);
}

bool IsBackwardOperator(const ir::Context& context, const DialectOp& op) {
  for (const ir::OpDefinition* definition : context.RegisteredOps()) {
    if (std::string_view(definition->name).substr(0, kOpPrefix.size()) !=
        kOpPrefix) {
      continue;
    }
    const auto* forward = static_cast<const DialectOp*>(definition->record);
    if (forward == nullptr || forward->backward == nullptr) continue;
    if (forward->backward->info == op.info) return true;
  }
  return false;
}

std::string KernelSymbol(const phi::KernelDef& kernel) {
  return absl::StrCat(
      kernel.kernel, kernel.form == phi::Form::kFluid ? "_fluid_" : "_",
      kernel.key.backend->name, "_", std::string(Name(kernel.key.dtype)));
}

const phi::KernelDef* FindKernel(const phi::OpRow& row,
                                 std::string_view symbol) {
  for (const phi::KernelDef* kernel : row.kernels) {
    if (KernelSymbol(*kernel) == symbol) return kernel;
  }
  return nullptr;
}

}  // namespace switchyard::static_graph
