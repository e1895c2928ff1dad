// SPDX-License-Identifier: Apache-2.0
#include "static_graph/program/fold_operation.h"

#include <string>
#include <vector>

#include "static_graph/executor/tensor_copy.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/clone.h"
#include "static_graph/program/executable.h"

namespace switchyard::static_graph {
namespace {

// A program that fetches the results of `op` on these operands.
ir::Program ProgramOf(ir::Context* context, const ir::Operation& op,
                      absl::Span<const ir::Attribute> operands) {
  ir::Program program(context, "folded");
  ir::Builder builder(context, &program.entry());
  ir::ValueMap map;
  for (int i = 0; i < op.num_operands(); ++i) {
    map[op.operand(i)] = builder.Constant(operands[i]);
  }
  ir::Operation* copy = ir::Clone(op, map).release();
  program.entry().push_back(copy);
  std::vector<ir::NamedValue> fetches;
  for (ir::Value result : copy->results()) {
    fetches.push_back({std::to_string(result.index()), result});
  }
  program.Return(fetches, {});
  return program;
}

absl::StatusOr<ir::Attribute> ConstantOf(ir::Context* context,
                                         const DenseTensor& tensor) {
  SY_ASSIGN_OR_RETURN(const DenseTensor host, OnHost(tensor));
  SY_ASSIGN_OR_RETURN(const DenseTensor dense, ContiguousCopy(host));
  const std::string_view bytes(dense.data<char>(), dense.byte_size());
  return context->GetConstant(
      context->GetTensorType(dense.dtype(), dense.shape()), bytes);
}

}  // namespace

FoldFunction FoldWithKernels(ir::Context* context,
                             const phi::KernelTable& table,
                             const LoweringOptions& options) {
  return [context, &table, options](const ir::Operation& op,
                                    absl::Span<const ir::Attribute> operands)
             -> absl::StatusOr<std::vector<ir::Attribute>> {
    CompileOptions compile;
    compile.lowering = options;
    SY_ASSIGN_OR_RETURN(
        const std::shared_ptr<const Executable> program,
        Executable::Compile(ProgramOf(context, op, operands), table, compile));
    SY_ASSIGN_OR_RETURN(const std::vector<Fetch> fetches, program->Run({}));
    std::vector<ir::Attribute> folded;
    for (const Fetch& fetch : fetches) {
      SY_ASSIGN_OR_RETURN(const ir::Attribute constant,
                          ConstantOf(context, fetch.tensor));
      folded.push_back(constant);
    }
    return folded;
  };
}

}  // namespace switchyard::static_graph
