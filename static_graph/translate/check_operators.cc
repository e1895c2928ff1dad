// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/check_operators.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "phi/legacy/forms/every_operator.h"
#include "static_graph/foreign/operator_problems.h"
#include "static_graph/translate/control/control_operators.h"
#include "static_graph/translate/control/sub_blocks.h"
#include "static_graph/translate/control_gradient.h"
#include "static_graph/translate/gradient_operator.h"
#include "static_graph/translate/map_operator.h"
#include "static_graph/translate/program_ports.h"
#include "static_graph/translate/rewrites/operator_versions.h"

namespace switchyard::static_graph {
namespace {

absl::Status CheckControl(const ForeignOperator& op,
                          const ForeignProgram& program, int block, int index,
                          const BlockOwners& owners) {
  SY_ASSIGN_OR_RETURN(const ControlOperator control, ReadControlOperator(op));
  if (control.kind == ControlKind::kSelect) return absl::OkStatus();
  SY_RETURN_IF_ERROR(owners.Check(block, index, control.block));
  if (!IsGradientBlock(program, control.block)) return absl::OkStatus();
  return ArgumentError("sub_block", "other than a block of gradients",
                       absl::StrCat(control.block));
}

// With `search` the nearest type is looked for where there is none of that
// name.
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
bool IsCall(std::string_view type) {
  return !IsControlGradient(type) &&
         ControlKindOf(type) == ControlKind::kNone &&
         phi::FindLegacyForm(type) != nullptr;
}

// How many problems are looked for.
enum class Search { kFirst, kAll };

// `maps` says, by block and index, whether the slots and attributes of an
// operator with a legacy form are checked; others are not even read.
template <typename Maps>
absl::Status CheckEach(const ForeignProgram& program, Search search,
                       Maps maps) {
  OperatorProblems problems;
  LegacyOpVersions versions(program);
  const BlockOwners owners(program);
  ForeignOperator op;
  const auto check = [&](int block, int index) {
    program.blocks(block).Read(index, &op);
    if (IsControlGradient(op.type)) {
      return CheckControlGradient(op, program, block);
    }
    return ControlKindOf(op.type) == ControlKind::kNone
               ? CheckOperator(op, problems.listed())
               : CheckControl(op, program, block, index, owners);
  };
  for (int b = 0; b < program.blocks_size(); ++b) {
    if (IsGradientBlock(program, b)) continue;
    for (int i = 0; i < program.blocks(b).ops_size(); ++i) {
      const std::string_view type = program.blocks(b).TypeOf(i);
      if (IsPort(type)) continue;
      const bool checked = maps(b, i) || !IsCall(type);
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

absl::Status CheckOperators(const ForeignProgram& program) {
  return CheckEach(program, Search::kAll, [](int, int) { return true; });
}

absl::Status CheckOperatorsExcept(const ForeignProgram& program,
                                  const OperatorSet* mapped) {
  return CheckEach(program, Search::kFirst, [mapped](int block, int index) {
    return mapped != nullptr && !mapped->Contains(block, index);
  });
}

}  // namespace switchyard::static_graph
