// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/check_operators.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "phi/legacy/forms/every_operator.h"
#include "static_graph/foreign/operator_problems.h"
#include "static_graph/translate/control/control_operators.h"
#include "static_graph/translate/control/sub_blocks.h"
#include "static_graph/translate/control_gradient.h"
#include "static_graph/translate/gradient_operator.h"
#include "static_graph/translate/json_operator.h"
#include "static_graph/translate/map_operator.h"
#include "static_graph/translate/program_ports.h"
#include "static_graph/translate/rewrites/operator_versions.h"

namespace switchyard::static_graph {
namespace {

// Checks that the values which enter and leave the blocks of an operator are as
// many as its operands and results.
absl::Status CheckYields(const ControlOperator& control,
                         const ForeignProgram& program) {
  const bool loop = control.kind == ControlKind::kWhile;
  const size_t inputs = program.blocks(control.block).inputs().size();
  if (loop && control.values.size() != inputs + 1) {
    return ArgumentError("arguments of the block",
                         absl::StrCat(control.values.size() - 1),
                         absl::StrCat(inputs));
  }
  for (const int number : {control.block, control.else_block}) {
    if (number < 0) continue;
    const ForeignBlock& block = program.blocks(number);
    const int last = block.ops_size() - 1;
    if (last < 0 || block.TypeOf(last) != kYield) {
      return ArgumentError("block", "one that ends with a yield", "another");
    }
    const auto yielded = static_cast<size_t>(block.ops(last).inputs[0].count());
    const size_t results = control.results.size() + (loop ? 1 : 0);
    if (yielded != results) {
      return ArgumentError("results", absl::StrCat(yielded - (loop ? 1 : 0)),
                           absl::StrCat(control.results.size()));
    }
  }
  if (!loop || control.results.size() == inputs) return absl::OkStatus();
  return ArgumentError("results", absl::StrCat(inputs),
                       absl::StrCat(control.results.size()));
}

absl::Status CheckControl(const ForeignOperator& op,
                          const ForeignProgram& program, int block, int index,
                          const BlockOwners& owners) {
  SY_ASSIGN_OR_RETURN(const ControlOperator control, ReadControlOperator(op));
  if (control.kind == ControlKind::kSelect) return absl::OkStatus();
  SY_RETURN_IF_ERROR(owners.Check(block, index, control.block));
  if (control.yields) return CheckYields(control, program);
  if (!IsGradientBlock(program, control.block)) return absl::OkStatus();
  return ArgumentError("sub_block", "other than a block of gradients",
                       absl::StrCat(control.block));
}

// Returns the error of an operator that can't be translated. If `search`, the
// error of an unknown type names the nearest type.
absl::Status CheckOperator(const ForeignOperator& op, bool search) {
  const phi::LegacyForm* form = phi::FindLegacyForm(op.type);
  if (form != nullptr) return MapOperator(op, *form).status();
  if (const phi::LegacyForm* forward = FindDifferentiated(op.type)) {
    SY_ASSIGN_OR_RETURN(const ForeignOperator call,
                        DifferentiatedCall(op, *forward));
    return MapOperator(call, *forward).status();
  }
  const std::string nearest = search ? NearestLegacyType(op.type) : "";
  return absl::UnimplementedError(absl::StrCat(
      "no operator has a legacy form of this type",
      nearest.empty() ? "" : absl::StrCat("; the nearest is ", nearest)));
}

}  // namespace

std::string NearestLegacyType(std::string_view type) {
  std::vector<std::string_view> types;
  for (const phi::LegacyForm* form : phi::AllLegacyForms()) {
    types.push_back(form->type);
  }
  return NearestName(type, types);
}

std::string OperatorPlace(int block, int index, std::string_view type) {
  return absl::StrCat("block ", block, ", operator ", index, ", ",
                      std::string(type));
}

namespace {

// Returns whether an operator is a call of one of ours: then only slots and
// attributes are checked.
bool IsCall(std::string_view type, const ir::Context* json) {
  if (json != nullptr) {
    return ControlKindOf(type) == ControlKind::kNone &&
           (IsJsonOnly(type) || FindFunctional(*json, type) != nullptr);
  }
  return !IsControlGradient(type) &&
         ControlKindOf(type) == ControlKind::kNone &&
         phi::FindLegacyForm(type) != nullptr;
}

// How many problems are looked for.
enum class Search { kFirst, kAll };

// `maps` says, by block and index, whether the slots and attributes of an
// operator are checked: others are calls, and not even read.
template <typename Maps>
absl::Status CheckEach(const ForeignProgram& program,
                       const ir::Context* context, Search search, Maps maps) {
  OperatorProblems problems;
  LegacyOpVersions versions(program);
  std::optional<BlockOwners> owners;
  ForeignOperator op;
  JsonForm form;
  const bool json = program.vocabulary() == Vocabulary::kPaddleJson;
  const auto check = [&](int block, int index) {
    program.blocks(block).Read(index, &op);
    if (json && ControlKindOf(op.type) == ControlKind::kNone) {
      return CheckJsonOperator(program.blocks(block), *context,
                               problems.listed(), &op, &form);
    }
    if (IsControlGradient(op.type)) {
      return CheckControlGradient(op, program, block);
    }
    if (ControlKindOf(op.type) == ControlKind::kNone) {
      return CheckOperator(op, problems.listed());
    }
    if (!owners.has_value()) owners.emplace(program);
    return CheckControl(op, program, block, index, *owners);
  };
  for (int b = 0; b < program.blocks_size(); ++b) {
    if (IsGradientBlock(program, b)) continue;
    for (int i = 0; i < program.blocks(b).ops_size(); ++i) {
      const std::string_view type = program.blocks(b).TypeOf(i);
      if (json ? IsJsonOnly(type) : IsPort(type)) continue;
      const bool checked = maps(b, i, type);
      for (const absl::Status& problem :
           {versions.Check(type), checked ? check(b, i) : absl::OkStatus()}) {
        if (problem.ok()) continue;
        problems.Add(problem, OperatorPlace(b, i, type));
        if (search == Search::kFirst) return problems.Summary();
      }
    }
  }
  return problems.Summary();
}

}  // namespace

absl::Status CheckOperators(const ForeignProgram& program,
                            const ir::Context* context) {
  return CheckEach(program, context, Search::kAll,
                   [](int, int, std::string_view) { return true; });
}

absl::Status CheckOperatorsExcept(const ForeignProgram& program,
                                  const OperatorSet* mapped,
                                  const ir::Context* context) {
  const bool json = program.vocabulary() == Vocabulary::kPaddleJson;
  return CheckEach(program, context, Search::kFirst,
                   [&](int block, int index, std::string_view type) {
                     if (mapped != nullptr && mapped->Contains(block, index))
                       return false;
                     return IsCall(type, json ? context : nullptr) ==
                            (mapped != nullptr);
                   });
}

}  // namespace switchyard::static_graph
