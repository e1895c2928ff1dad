// SPDX-License-Identifier: Apache-2.0
// Optimize: the passes that a program goes through before it is compiled
// (executable.h) or saved, whether it was traced, built or imported.
//
//   GraphBuilder builder(&context, "train_step");           // graph_builder.h
//   ...
//   SY_ASSIGN_OR_RETURN(ir::Program graph, builder.Finish());
//   SY_RETURN_IF_ERROR(Optimize(graph, phi::KernelTables::Current()));
//   SY_ASSIGN_OR_RETURN(auto program,
//                       Executable::Compile(graph,
//                       phi::KernelTables::Current()));
#ifndef SWITCHYARD_STATIC_GRAPH_PROGRAM_PIPELINE_H_
#define SWITCHYARD_STATIC_GRAPH_PROGRAM_PIPELINE_H_

#include <functional>
#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "phi/core/kernel_table.h"
#include "static_graph/ir/program.h"
#include "static_graph/lowering/lower.h"

namespace switchyard::static_graph {

// Brings `program`, which is of the dialect `op`, to value form, and removes
// identities, common subexpressions and dead code from it. Computes constants
// with the kernels of `table` that `lowering` allows.
// Fetches and new states keep their bits, unless `lowering.relaxed` lets passes
// round otherwise (docs/passes.md): those of its fusion, and int8_fusion or
// bfloat16_products for its precision, where the policy lets them
// (replace_rule.h). Errors as
// CheckArithmetic() (static_graph/lowering/arithmetic.h). Leaves out the
// passes that `without` names; NotFound for a name that no pass has. Verifies
// before the first pass, unless the caller has done so (`verified`), and after
// the last. After an error the program is valid to destroy and nothing else.
// Calls `after_pass`, where there is one, after each pass with its name, and
// verifies after each then.
absl::Status Optimize(
    ir::Program& program, const phi::KernelTable& table,
    const LoweringOptions& lowering = {},
    std::function<void(std::string_view pass, const ir::Program& program)>
        after_pass = nullptr,
    absl::Span<const std::string> without = {}, bool verified = false);

// Returns true if a run leaves all states as they are: a program that trains
// nothing. `program` is of the dialect `op`.
bool LeavesStates(const ir::Program& program);

// Does only what `program` needs to be compiled: brings it to value form.
// Verifies before and after.
absl::Status BringToValueForm(ir::Program& program);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PROGRAM_PIPELINE_H_
