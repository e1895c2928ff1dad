// SPDX-License-Identifier: Apache-2.0
#include "static_graph/tools/pass_runner.h"

#include <utility>
#include <vector>

#include "phi/core/kernel_tables.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/parser.h"
#include "static_graph/ir/printer.h"
#include "static_graph/program/fold_operation.h"
#include "static_graph/program/replace_rule.h"
#include "static_graph/tools/conversions.h"

namespace switchyard::static_graph {

std::unique_ptr<ir::Context> AllOperatorsContext() {
  auto context = std::make_unique<ir::Context>();
  // Fails only for an operator that the build would have refused.
  RegisterDialects(context.get(), AllDialectOps()).IgnoreError();
  return context;
}

absl::StatusOr<PassRun> RunPasses(ir::Context* context, std::string_view text,
                                  std::string_view passes,
                                  const PassManagerOptions& options) {
  SY_ASSIGN_OR_RETURN(ir::Program program, ir::Parse(context, text));
  PassEnvironment environment;
  environment.fold = FoldWithKernels(context, phi::KernelTables::Current());
  environment.has_kernel = MakeKernelRule(phi::KernelTables::Current(), {});
  SY_ASSIGN_OR_RETURN(
      std::vector<std::unique_ptr<Pass>> created,
      CreatePasses(PassesAndConversions(), passes, environment));
  PassManager manager(options);
  for (std::unique_ptr<Pass>& pass : created) {
    SY_RETURN_IF_ERROR(manager.Add(std::move(pass)));
  }
  PassRun run;
  SY_ASSIGN_OR_RETURN(run.changed, manager.Run(program));
  run.text = ir::Print(program);
  return run;
}

}  // namespace switchyard::static_graph
