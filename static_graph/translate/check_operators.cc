// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/check_operators.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "phi/legacy/every_operator.h"
#include "static_graph/translate/control_gradient.h"
#include "static_graph/translate/control_operators.h"
#include "static_graph/translate/gradient_operator.h"
#include "static_graph/translate/map_operator.h"
#include "static_graph/translate/operator_problems.h"
#include "static_graph/translate/operator_versions.h"
#include "static_graph/translate/program_ports.h"
#include "static_graph/translate/sub_blocks.h"

namespace switchyard::static_graph {
namespace {

using translate::OpDesc;

absl::Status CheckControl(const OpDesc& op,
                          const translate::ProgramDesc& program, int block,
                          int index, const BlockOwners& owners) {
  SY_ASSIGN_OR_RETURN(const ControlOperator control, ReadControlOperator(op));
  if (control.kind == ControlKind::kSelect) return absl::OkStatus();
  SY_RETURN_IF_ERROR(owners.Check(block, index, control.block));
  if (!IsGradientBlock(program, control.block)) return absl::OkStatus();
  return ArgumentError("sub_block", "other than a block of gradients",
                       absl::StrCat(control.block));
}

// Slots and attributes of an operator with a form are checked with `map`. With
// `search` the nearest type is looked for where there is none of that name.
absl::Status CheckOperator(const OpDesc& op, bool map, bool search) {
  const phi::LegacyForm* form = phi::FindLegacyForm(op.type());
  if (form != nullptr) {
    return map ? MapOperator(op, *form).status() : absl::OkStatus();
  }
  if (const phi::LegacyForm* forward = FindDifferentiated(op.type())) {
    SY_ASSIGN_OR_RETURN(const OpDesc call, DifferentiatedCall(op, *forward));
    return MapOperator(call, *forward).status();
  }
  const std::string nearest = search ? NearestLegacyType(op.type()) : "";
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

// `maps` says of an operator with a legacy form whether its slots and
// attributes are checked.
template <typename Maps>
absl::Status CheckEach(const translate::ProgramDesc& program, Maps maps) {
  OperatorProblems problems;
  LegacyOpVersions versions(program);
  const BlockOwners owners(program);
  const auto check = [&](const OpDesc& op, int block, int index) {
    if (IsControlGradient(op.type())) {
      return CheckControlGradient(op, program, block);
    }
    return ControlKindOf(op.type()) == ControlKind::kNone
               ? CheckOperator(op, maps(op), problems.listed())
               : CheckControl(op, program, block, index, owners);
  };
  for (int b = 0; b < program.blocks_size(); ++b) {
    if (IsGradientBlock(program, b)) continue;
    const translate::BlockDesc& block = program.blocks(b);
    for (int i = 0; i < block.ops_size(); ++i) {
      const OpDesc& op = block.ops(i);
      if (IsPort(op.type())) continue;
      for (const absl::Status& problem :
           {versions.Check(op.type()), check(op, b, i)}) {
        if (problem.ok()) continue;
        problems.Add(problem, OperatorPlace(b, i, op.type()));
      }
    }
  }
  return problems.Summary();
}

}  // namespace

absl::Status CheckOperators(const translate::ProgramDesc& program) {
  return CheckEach(program, [](const OpDesc&) { return true; });
}

absl::Status CheckOperatorsExcept(const translate::ProgramDesc& program,
                                  const HashSet<const OpDesc*>* mapped) {
  return CheckEach(program, [mapped](const OpDesc& op) {
    return mapped != nullptr && !Contains(*mapped, &op);
  });
}

}  // namespace switchyard::static_graph
