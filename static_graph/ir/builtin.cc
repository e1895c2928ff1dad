// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/builtin.h"

#include <string>

#include "static_graph/ir/block.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph::ir {
namespace {

absl::Status VerifyProgram(const Operation& op) {
  if (op.parent() != nullptr) {
    return absl::InvalidArgumentError(
        "must be the outermost operation, got one inside another");
  }
  return absl::OkStatus();
}

absl::Status CheckNoRegions(const Operation& op) {
  if (op.num_regions() == 0) return absl::OkStatus();
  return ArgumentError("regions", "none", std::to_string(op.num_regions()));
}

size_t NumNames(const Operation& op, std::string_view attribute_name) {
  const Attribute names = op.attribute(attribute_name);
  return names ? names.strings().size() : 0;
}

absl::Status VerifyReturn(const Operation& op) {
  SY_RETURN_IF_ERROR(CheckNoRegions(op));
  for (const char* name : {kFetchNames, kStateNames}) {
    const Attribute names = op.attribute(name);
    if (names && !names.Is<StringsAttribute>()) {
      return ArgumentError(name, "a string[] attribute", ToString(names));
    }
  }
  const size_t names = NumNames(op, kFetchNames) + NumNames(op, kStateNames);
  if (names != static_cast<size_t>(op.num_operands())) {
    return ArgumentError("operands",
                         "one for each name, that is " + std::to_string(names),
                         std::to_string(op.num_operands()));
  }
  if (op.num_results() != 0) {
    return ArgumentError("results", "none", std::to_string(op.num_results()));
  }
  const Operation* parent = op.parent_op();
  if (parent == nullptr || parent->name() != kProgramOp) {
    return absl::InvalidArgumentError(
        "must end the entry block of a program, got it inside an operation");
  }
  return absl::OkStatus();
}

absl::Status VerifyConstant(const Operation& op) {
  SY_RETURN_IF_ERROR(CheckNoRegions(op));
  const Attribute value = op.attribute(kValue);
  if (!value.Is<ConstantAttribute>()) {
    return ArgumentError(kValue, "a dense constant", ToString(value));
  }
  if (op.num_operands() != 0 || op.num_results() != 1) {
    return ArgumentError("results and operands", "one and none",
                         std::to_string(op.num_results()) + " and " +
                             std::to_string(op.num_operands()));
  }
  if (op.result(0).type() != value.constant_type()) {
    return ArgumentError("result", ToString(value.constant_type()),
                         ToString(op.result(0).type()));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Type>> InferConstant(Context*,
                                                const OperationState& state) {
  for (const NamedAttribute& attribute : state.attributes) {
    if (attribute.name.text() == kValue &&
        attribute.value.Is<ConstantAttribute>()) {
      return std::vector<Type>{attribute.value.constant_type()};
    }
  }
  return ArgumentError(kValue, "a dense constant", "none");
}

constexpr InferTypesInterface kConstantTypes = {&InferConstant};

}  // namespace

void RegisterBuiltinDialect(Context* context) {
  if (context->FindOp(kProgramOp) != nullptr) return;
  OpDefinition program;
  program.name = kProgramOp;
  program.verify = VerifyProgram;
  OpDefinition returns;
  returns.name = kReturnOp;
  returns.Add<TerminatorTrait>();
  returns.verify = VerifyReturn;
  OpDefinition constant;
  constant.name = kConstantOp;
  constant.Add<PureTrait>().Add<ConstantTrait>().Add(&kConstantTypes);
  constant.verify = VerifyConstant;
  Dialect builtin;
  builtin.name = "builtin";
  builtin.operations = {program, returns, constant};
  // The names are ours and new, so this cannot fail.
  context->Register(builtin).IgnoreError();
}

}  // namespace switchyard::static_graph::ir
