// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/register_dialects.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "phi/core/kernel_origin.h"
#include "static_graph/dialect/cf_dialect.h"
#include "static_graph/dialect/infer_types.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/dialect/op_traits.h"
#include "static_graph/ir/checkpoint_attributes.h"
#include "static_graph/ir/segments.h"

namespace switchyard::static_graph {
namespace {

void AddTraits(const DialectOp& op, ir::OpDefinition* definition) {
  const phi::OpInfo& info = *op.info;
  definition->Add<ir::PureTrait>();
  if (info.has(phi::Trait::kCommutative)) {
    definition->Add<ir::CommutativeTrait>();
  }
  if (info.has(phi::Trait::kRandom)) definition->Add<ir::RandomTrait>();
  if (info.has(phi::Trait::kView)) definition->Add<ir::ViewTrait>();
  if (info.has(phi::Trait::kElementwise)) {
    definition->Add<ir::ElementwiseTrait>();
  }
  if (op.has(DialectTrait::kIdentity)) definition->Add<IdentityTrait>();
  if (op.has(DialectTrait::kSameSize)) definition->Add<SameSizeTrait>();
  if (op.has(DialectTrait::kPermutes)) definition->Add<PermutesTrait>();
  if (op.has(DialectTrait::kFilled)) definition->Add<FilledTrait>();
}

// The output that result number `result` belongs to, and its place in it.
std::pair<int, int> OutputOf(const ir::Operation& op, int num_outputs,
                             int result) {
  for (int output = 0; output < num_outputs; ++output) {
    const ir::Segment segment = ir::ResultSegment(op, output);
    const int entry = result - segment.begin;
    if (entry >= 0 && entry < segment.size) return {output, entry};
  }
  return {-1, 0};
}

// The operand that stands for input `argument`; in a list, entry `entry` of it.
int OperandOf(const ir::Operation& op, const phi::OpInfo& info, int argument,
              int entry) {
  if (argument < 0) return -1;
  const ir::Segment segment = ir::OperandSegment(op, argument);
  const int in_it = info.inputs[argument].list ? entry : 0;
  return in_it < segment.size ? segment.begin + in_it : -1;
}

ir::ResultAlias AliasOfResult(const ir::Operation& op, int result,
                              bool inplace) {
  ir::ResultAlias alias;
  const phi::OpInfo& info = *FindDialectOp(op)->info;
  // Most operators neither make views nor may write over an input.
  bool any = false;
  for (const phi::OutputInfo& output : info.outputs) {
    any |= output.view_of >= 0 || (inplace && output.inplace_of >= 0);
  }
  const auto num_inputs = static_cast<int>(info.inputs.size());
  const auto num_outputs = static_cast<int>(info.outputs.size());
  if (!any || ir::NumOperandSegments(op) < num_inputs ||
      ir::NumResultSegments(op) != num_outputs) {
    return alias;
  }
  const auto [output, entry] = OutputOf(op, num_outputs, result);
  if (output < 0) return alias;
  const phi::OutputInfo& of = info.outputs[output];
  alias.view_of = OperandOf(op, info, of.view_of, entry);
  if (inplace) alias.inplace_of = OperandOf(op, info, of.inplace_of, entry);
  return alias;
}

ir::ResultAlias AliasOfOp(const ir::Operation& op, int result) {
  return AliasOfResult(op, result, /*inplace=*/false);
}

ir::ResultAlias AliasOfKernel(const ir::Operation& op, int result) {
  return AliasOfResult(op, result, /*inplace=*/true);
}

constexpr ir::AliasInterface kOpAlias = {&AliasOfOp};
constexpr ir::AliasInterface kKernelAlias = {&AliasOfKernel};

absl::Status LowerOp(ir::Operation* op, Lowering* lowering) {
  return lowering->LowerCall(op);
}
constexpr LoweringInterface kOpLowering = {&LowerOp};

// Null where absent.
std::vector<ir::TensorType> TypesOf(const phi::ArgBuffer<ir::Value>& values) {
  std::vector<ir::TensorType> types;
  types.reserve(static_cast<size_t>(values.size()));
  for (ir::Value value : values) {
    types.push_back(value ? value.tensor_type() : ir::TensorType());
  }
  return types;
}

// Checks that the types of the results do not contradict InferMeta; a type may
// know more or less of a shape.
absl::Status VerifyResultTypes(const OpCall& call) {
  const std::vector<ir::TensorType> types = TypesOf(call.inputs);
  // Not std::vector<bool>, which has no data().
  absl::InlinedVector<bool, 8> wanted;
  for (ir::Value output : call.outputs) wanted.push_back(bool(output));
  SY_ASSIGN_OR_RETURN(
      const std::vector<TensorSpec> metas,
      InferMeta(*call.op->info, {{types, call.inputs.segments()},
                                 call.attrs,
                                 {wanted, call.outputs.segments()}}));
  for (size_t slot = 0; slot < metas.size(); ++slot) {
    if (!wanted[slot]) continue;
    const int output =
        call.outputs.segments().argument_of(static_cast<int>(slot));
    SY_RETURN_IF_ERROR(CheckInferred(call.op->info->outputs[output].name,
                                     metas[slot],
                                     call.outputs[slot].tensor_type()));
  }
  return absl::OkStatus();
}

// Which outputs a call has: all except optional ones that the attribute
// result_segments marks as absent.
absl::InlinedVector<bool, 8> WantedOutputs(const phi::OpInfo& info,
                                           const phi::ArgLayout& layout,
                                           ir::Attribute result_segments) {
  absl::InlinedVector<bool, 8> wanted(layout.size(), true);
  if (!result_segments) return wanted;
  const auto sizes = result_segments.As<absl::Span<const int>>();
  if (!sizes.has_value() || sizes->size() != info.outputs.size()) return wanted;
  for (size_t i = 0; i < info.outputs.size(); ++i) {
    if (!info.outputs[i].optional || (*sizes)[i] != 0) continue;
    const int output = static_cast<int>(i);
    std::fill(wanted.begin() + layout.segments().begin(output),
              wanted.begin() + layout.segments().end(output), false);
  }
  return wanted;
}

// Reads the operands and attributes as a call, in a detached operation.
absl::StatusOr<std::vector<ir::Type>> InferOpTypes(
    ir::Context* context, const ir::OperationState& state) {
  ir::OperationState bare;
  bare.definition = state.definition;
  bare.operands = state.operands;
  ir::Attribute result_segments;
  for (const ir::NamedAttribute& attribute : state.attributes) {
    if (attribute.name.text() == ir::kResultSegments) {
      result_segments = attribute.value;
    } else {
      bare.attributes.push_back(attribute);
    }
  }
  const ir::OperationPtr op(ir::Operation::Create(bare));
  SY_RETURN_IF_ERROR(ir::VerifySegments(*op));
  SY_ASSIGN_OR_RETURN(const OpCall call, ReadArguments(*op));
  phi::ArgLayout layout;
  SY_RETURN_IF_ERROR(phi::LayOutOutputs(*call.op->info, call.inputs.segments(),
                                        call.attrs, &layout));
  const auto wanted = WantedOutputs(*call.op->info, layout, result_segments);
  const std::vector<ir::TensorType> types = TypesOf(call.inputs);
  SY_ASSIGN_OR_RETURN(
      const std::vector<TensorSpec> metas,
      InferMeta(*call.op->info, {{types, call.inputs.segments()},
                                 call.attrs,
                                 {wanted, layout.segments()}}));
  std::vector<ir::Type> results;
  for (size_t slot = 0; slot < metas.size(); ++slot) {
    if (!wanted[slot]) continue;
    results.push_back(context->GetTensorType(metas[slot]));
  }
  return results;
}

constexpr ir::InferTypesInterface kOpTypes = {&InferOpTypes};

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
    if (result.tensor_type().layout().strided()) continue;
    return ArgumentError("layout", "strided in the dialect op",
                         Name(result.tensor_type().layout()));
  }
  return VerifyCall(op);
}

// Whether a value is a state, or written over one: which calls may replace its
// elements lowering says (static_graph/lowering/write_states.h).
bool LiesInState(ir::Value value) {
  while (const ir::Operation* op = value.defining_op()) {
    const auto operands =
        op->attribute(kInplaceAttr).As<absl::Span<const int>>();
    const auto result = static_cast<size_t>(value.index());
    if (!operands.has_value() || result >= operands->size()) return false;
    const int operand = (*operands)[result];
    if (operand < 0 || operand >= op->num_operands()) return false;
    value = op->operand(operand);
  }
  return value.role() == ir::ArgumentRole::kState;
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
    const bool given = operand >= 0 && operand < op.num_operands();
    if (operand != AliasOfKernel(op, result).inplace_of &&
        !(given && LiesInState(op.operand(operand)))) {
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

// Nothing is written that the results do not fit in.
absl::Status VerifyInplaceVariant(const ir::Operation& op) {
  SY_RETURN_IF_ERROR(VerifyOp(op));
  for (ir::Value result : op.results()) {
    const int operand = AliasOfKernel(op, result.index()).inplace_of;
    if (operand < 0 || op.operand(operand).type() == result.type()) continue;
    return ArgumentError("operand that is written", ir::ToString(result.type()),
                         ir::ToString(op.operand(operand).type()));
  }
  return absl::OkStatus();
}

bool HasInplaceVariant(const phi::OpInfo& info) {
  if (info.has(phi::Trait::kInplaceOnly)) return false;
  for (const phi::OutputInfo& output : info.outputs) {
    if (output.inplace_of >= 0) return true;
  }
  return false;
}

ir::OpDefinition InplaceVariant(const DialectOp& op, std::string name) {
  ir::OpDefinition form;
  form.name = std::move(name);
  form.verify = &VerifyInplaceVariant;
  form.Add(&op).Add(&kKernelAlias).Add(&kOpTypes);
  form.Add<ir::InplaceVariantTrait>();
  return form;
}

std::string OperationName(std::string_view prefix, std::string_view name) {
  return absl::StrCat(absl::string_view(prefix.data(), prefix.size()),
                      absl::string_view(name.data(), name.size()));
}

std::string InplaceVariantName(const phi::OpInfo& info) {
  return OperationName(kOpPrefix, info.name).append("_");
}

absl::Status CheckOwnAttributes(const phi::OpInfo& info) {
  constexpr std::string_view kOthers[] = {kOpDeviceAttr, kPolicyAttr};
  for (const phi::AttrInfo& attr : info.attrs) {
    if (!IsKernelAttribute(attr.name) &&
        !ir::IsCheckpointAttribute(attr.name) && attr.name != kOthers[0] &&
        attr.name != kOthers[1]) {
      continue;
    }
    return Annotate(
        ArgumentError("attribute name", "other than those of the dialects",
                      attr.name),
        info.name);
  }
  return absl::OkStatus();
}

// Whether KernelSymbol() of the kernel is `symbol`.
bool HasSymbol(const phi::KernelDef& kernel, std::string_view symbol) {
  const auto take = [&](std::string_view part) {
    if (symbol.substr(0, part.size()) != part) return false;
    symbol.remove_prefix(part.size());
    return true;
  };
  return take(kernel.kernel) && take(phi::NamesOf(kernel.origin).in_symbol) &&
         take(kernel.key.backend->name) && take("_") &&
         symbol == Name(kernel.key.dtype);
}

}  // namespace

absl::Status RegisterDialects(ir::Context* context,
                              absl::Span<const DialectOp* const> ops) {
  SY_RETURN_IF_ERROR(RegisterControlFlowDialect(context));
  for (const DialectOp* op : ops) {
    SY_RETURN_IF_ERROR(CheckOwnAttributes(*op->info));
    ir::OpDefinition definition;
    definition.name = OperationName(kOpPrefix, op->info->name);
    if (context->FindOp(definition.name) != nullptr) continue;
    AddTraits(*op, &definition);
    definition.verify = &VerifyOp;
    definition.Add(op).Add(&kOpAlias).Add(&kOpLowering).Add(&kOpTypes);
    SY_RETURN_IF_ERROR(context->RegisterOp(std::move(definition)));
    ir::OpDefinition kernel;
    AddTraits(*op, &kernel);
    kernel.name = OperationName(kKernelPrefix, op->info->name);
    kernel.verify = &VerifyKernel;
    kernel.Add(op).Add(&kKernelAlias).Add<KernelCallTrait>();
    for (const phi::OutputInfo& output : op->info->outputs) {
      if (output.inplace_of >= 0) kernel.Add<ir::InplaceTrait>();
    }
    SY_RETURN_IF_ERROR(context->RegisterOp(std::move(kernel)));
    if (!HasInplaceVariant(*op->info)) continue;
    SY_RETURN_IF_ERROR(context->RegisterOp(
        InplaceVariant(*op, InplaceVariantName(*op->info))));
  }
  return absl::OkStatus();
}

const DialectOp* FindOperator(const ir::Context& context,
                              std::string_view name) {
  const ir::OpDefinition* definition =
      context.FindOp(OperationName(kOpPrefix, name));
  return definition == nullptr ? nullptr : definition->interface<DialectOp>();
}

const ir::OpDefinition* InplaceVariantOf(const ir::Context& context,
                                         const DialectOp& op) {
  if (!HasInplaceVariant(*op.info)) return nullptr;
  return context.FindOp(InplaceVariantName(*op.info));
}

const ir::OpDefinition* ValueFormOf(const ir::Context& context,
                                    const ir::Operation& op) {
  const DialectOp* record = FindDialectOp(op);
  if (record == nullptr || !op.has<ir::InplaceVariantTrait>()) return nullptr;
  return context.FindOp(OperationName(kOpPrefix, record->info->name));
}

bool IsBackwardOperator(const ir::Context& context, const DialectOp& op) {
  for (const ir::OpDefinition* definition : context.RegisteredOps()) {
    const auto* forward = definition->interface<DialectOp>();
    if (forward == nullptr || forward->backward == nullptr) continue;
    // Records of one operator may differ (composed_meta.h).
    if (std::string_view(forward->backward->info->name) == op.info->name) {
      return true;
    }
  }
  return false;
}

std::string KernelSymbol(const phi::KernelDef& kernel) {
  return absl::StrCat(kernel.kernel, phi::NamesOf(kernel.origin).in_symbol,
                      kernel.key.backend->name, "_",
                      std::string(Name(kernel.key.dtype)));
}

const phi::KernelDef* FindKernel(const phi::OpKernels& op_kernels,
                                 std::string_view symbol) {
  for (const phi::KernelDef* kernel : op_kernels.kernels) {
    if (HasSymbol(*kernel, symbol)) return kernel;
  }
  return nullptr;
}

}  // namespace switchyard::static_graph
