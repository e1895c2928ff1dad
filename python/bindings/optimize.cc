// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/optimize.h"

#include <memory>

#include "phi/core/op_row.h"
#include "static_graph/ir/verifier.h"
#include "static_graph/pass/pass_manager.h"
#include "static_graph/program/fold_operation.h"
#include "static_graph/transforms/common_subexpression_elimination.h"
#include "static_graph/transforms/constant_folding.h"
#include "static_graph/transforms/dead_code_elimination.h"
#include "static_graph/transforms/identity_elimination.h"
#include "static_graph/transforms/scale_fusion.h"

namespace switchyard::python {

absl::Status OptimizeProgram(static_graph::ir::Program& program,
                             Optimization optimization) {
  if (optimization == Optimization::kNone) {
    return static_graph::ir::Verify(program);
  }
  const bool relaxed = optimization == Optimization::kRelaxed;
  static_graph::PassManagerOptions options;
  options.exactness = relaxed ? static_graph::Exactness::kRelaxed
                              : static_graph::Exactness::kExact;
  static_graph::PassManager passes(options);
  SY_RETURN_IF_ERROR(
      passes.Add(std::make_unique<static_graph::IdentityElimination>()));
  SY_RETURN_IF_ERROR(passes.Add(std::make_unique<static_graph::ConstantFolding>(
      static_graph::FoldWithKernels(program.context(), phi::LinkedKernels()))));
  if (relaxed) {
    SY_RETURN_IF_ERROR(
        passes.Add(std::make_unique<static_graph::ScaleFusion>()));
  }
  SY_RETURN_IF_ERROR(passes.Add(
      std::make_unique<static_graph::CommonSubexpressionElimination>()));
  SY_RETURN_IF_ERROR(
      passes.Add(std::make_unique<static_graph::DeadCodeElimination>()));
  return passes.Run(program).status();
}

}  // namespace switchyard::python
