// SPDX-License-Identifier: Apache-2.0
#include "static_graph/program/pipeline.h"

#include <memory>

#include "static_graph/pass/pass_manager.h"
#include "static_graph/passes/common_subexpression_elimination.h"
#include "static_graph/passes/constant_folding.h"
#include "static_graph/passes/dead_code_elimination.h"
#include "static_graph/passes/identity_elimination.h"
#include "static_graph/passes/scale_fusion.h"
#include "static_graph/passes/to_value_form.h"
#include "static_graph/program/fold_operation.h"

namespace switchyard::static_graph {

absl::Status Optimize(
    ir::Program& program, const phi::KernelTable& table, Exactness exactness,
    const LoweringOptions& lowering,
    std::function<void(std::string_view, const ir::Program&)> after_pass) {
  PassManagerOptions options;
  options.exactness = exactness;
  if (after_pass != nullptr) {
    options.after_pass = [&](std::string_view pass, const ir::Program& after,
                             bool) { after_pass(pass, after); };
  }
  PassManager passes(options);
  SY_RETURN_IF_ERROR(passes.Add(std::make_unique<ToValueForm>()));
  SY_RETURN_IF_ERROR(passes.Add(std::make_unique<IdentityElimination>()));
  SY_RETURN_IF_ERROR(passes.Add(std::make_unique<ConstantFolding>(
      FoldWithKernels(program.context(), table, lowering))));
  if (exactness == Exactness::kRelaxed) {
    SY_RETURN_IF_ERROR(passes.Add(std::make_unique<ScaleFusion>()));
  }
  SY_RETURN_IF_ERROR(
      passes.Add(std::make_unique<CommonSubexpressionElimination>()));
  SY_RETURN_IF_ERROR(passes.Add(std::make_unique<DeadCodeElimination>()));
  return passes.Run(program).status();
}

absl::Status BringToValueForm(ir::Program& program) {
  PassManager passes;
  SY_RETURN_IF_ERROR(passes.Add(std::make_unique<ToValueForm>()));
  return passes.Run(program).status();
}

}  // namespace switchyard::static_graph
