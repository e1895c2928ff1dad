// SPDX-License-Identifier: Apache-2.0
#include "static_graph/program/pipeline.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "static_graph/fusion/conv_weights.h"
#include "static_graph/lowering/arithmetic.h"
#include "static_graph/pass/pass_info.h"
#include "static_graph/pass/pass_manager.h"
#include "static_graph/passes/passes.h"
#include "static_graph/passes/to_value_form.h"
#include "static_graph/program/fold_operation.h"
#include "static_graph/program/replace_rule.h"

namespace switchyard::static_graph {

namespace {

// The passes of a program, in their order. Value form is never left out.
constexpr std::string_view kExactBefore =
    "to_value_form,identity_elimination,constant_folding";
// Operations that the first ones replaced would count as uses of values.
constexpr std::string_view kRelaxed =
    ",activation_fusion,scale_fusion,dead_code_elimination,conv_fusion,"
    "int8_fusion,squeeze_excite_fusion,linear_fusion,attention_fusion";
// The pass of Precision::kInt8, which may be the only relaxed one.
constexpr std::string_view kInt8 = "int8_fusion";
constexpr std::string_view kInt8Alone = ",dead_code_elimination,int8_fusion";
// Those of both Precisions of bfloat16; small constants are cast at once.
constexpr std::string_view kBfloat16 = ",bfloat16_products,constant_folding";
constexpr std::string_view kExactAfter =
    ",common_subexpression_elimination,dead_code_elimination";

// NotFound for a name that is not in the table of passes.
absl::Status CheckNames(absl::Span<const std::string> names) {
  for (const std::string& name : names) {
    SY_RETURN_IF_ERROR(CreatePasses(AllPasses(), name, {}).status());
  }
  return absl::OkStatus();
}

bool Names(absl::Span<const std::string> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

absl::Status Optimize(
    ir::Program& program, const phi::KernelTable& table,
    const LoweringOptions& lowering,
    std::function<void(std::string_view, const ir::Program&)> after_pass,
    absl::Span<const std::string> without, bool verified) {
  SY_RETURN_IF_ERROR(CheckNames(without));
  SY_RETURN_IF_ERROR(CheckArithmetic(lowering.relaxed, lowering.place));
  const bool relaxed = lowering.relaxed.fusion == Fusion::kRelaxed;
  const Precision precision = lowering.relaxed.precision;
  const bool int8 = precision == Precision::kInt8;
  PassManagerOptions options;
  options.exactness = relaxed || precision != Precision::kExact
                          ? Exactness::kRelaxed
                          : Exactness::kExact;
  // Verifying takes as long as all passes together.
  options.verify_each = after_pass != nullptr;
  options.verify_before = !verified;
  if (after_pass != nullptr) {
    options.after_pass = [&](std::string_view pass, const ir::Program& after,
                             bool) { after_pass(pass, after); };
  }
  PassManager passes(options);
  std::string names(kExactBefore);
  if (relaxed) {
    names.append(kRelaxed);
  } else if (int8) {
    names.append(kInt8Alone);
  }
  if (IsBfloat16(precision)) names.append(kBfloat16);
  names.append(kExactAfter);
  SY_ASSIGN_OR_RETURN(
      std::vector<std::unique_ptr<Pass>> chosen,
      CreatePasses(AllPasses(), names,
                   {FoldWithKernels(program.context(), table, lowering),
                    MakeReplaceRule(program, table, lowering),
                    MakeKernelRule(table, lowering)}));
  for (std::unique_ptr<Pass>& pass : chosen) {
    const bool left_out =
        !pass->takes_inplace_variants() &&
        (Names(without, pass->name()) || (pass->name() == kInt8 && !int8));
    if (!left_out) SY_RETURN_IF_ERROR(passes.Add(std::move(pass)));
  }
  return passes.Run(program).status();
}

bool LeavesStates(const ir::Program& program) {
  for (const ir::NamedValue& update : program.new_states()) {
    const ir::Value old =
        program.FindArgument(ir::ArgumentRole::kState, update.name);
    if (update.value == old) continue;
    const ir::Operation* const op = update.value.defining_op();
    if (op == nullptr || UnchangedStatistic(*op, update.value.index()) != old) {
      return false;
    }
  }
  return true;
}

absl::Status BringToValueForm(ir::Program& program) {
  PassManager passes;
  SY_RETURN_IF_ERROR(passes.Add(std::make_unique<ToValueForm>()));
  return passes.Run(program).status();
}

}  // namespace switchyard::static_graph
