// SPDX-License-Identifier: Apache-2.0
#include "static_graph/tools/conversions.h"

#include <memory>
#include <string>
#include <utility>

#include "phi/core/kernel_tables.h"
#include "static_graph/autodiff/gradients.h"
#include "static_graph/ir/builder.h"
#include "static_graph/lowering/assign_layouts.h"
#include "static_graph/lowering/lower.h"
#include "static_graph/passes/passes.h"

namespace switchyard::static_graph {
namespace {

class Gradients : public Pass {
 public:
  std::string_view name() const override { return "gradients"; }
  Exactness exactness() const override { return Exactness::kExact; }
  absl::StatusOr<bool> Run(ir::Program& program) override {
    std::vector<ir::NamedValue> fetches = program.fetches();
    if (fetches.empty()) {
      return ArgumentError("program", "one that fetches something", "none");
    }
    std::vector<ir::Value> wrt;
    for (ir::Value argument : program.entry().arguments()) {
      if (IsDifferentiable(argument.tensor_type().dtype()))
        wrt.push_back(argument);
    }
    ir::Builder builder(program.context());
    builder.SetInsertionPoint(program.return_op());
    SY_ASSIGN_OR_RETURN(const std::vector<ir::Value> gradients,
                        BuildGradients(builder, fetches[0].value, wrt));
    for (size_t i = 0; i < wrt.size(); ++i) {
      if (!gradients[i]) continue;
      fetches.push_back(
          {"grad." + std::string(wrt[i].argument_name()), gradients[i]});
    }
    program.Return(fetches, program.new_states());
    return true;
  }
};

class Lowering : public Pass {
 public:
  std::string_view name() const override { return "lower"; }
  Exactness exactness() const override { return Exactness::kExact; }
  absl::StatusOr<bool> Run(ir::Program& program) override {
    SY_ASSIGN_OR_RETURN(ir::Program lowered,
                        Lower(program, phi::KernelTables::Current(), {}));
    program = std::move(lowered);
    return true;
  }
};

class LayoutAssignment : public Pass {
 public:
  std::string_view name() const override { return "assign_layouts"; }
  Exactness exactness() const override { return Exactness::kExact; }
  absl::StatusOr<bool> Run(ir::Program& program) override {
    return AssignLayouts(&program, phi::KernelTables::Current(), {});
  }
};

template <typename P>
std::unique_ptr<Pass> Make(const PassEnvironment&) {
  return std::make_unique<P>();
}

}  // namespace

std::vector<PassInfo> PassesAndConversions() {
  std::vector<PassInfo> table(AllPasses().begin(), AllPasses().end());
  table.push_back(
      {"gradients", Exactness::kExact, "Appends gradients of the first fetch.",
       "For each feed and state of a floating dtype.", Make<Gradients>});
  table.push_back({"lower", Exactness::kExact,
                   "Chooses kernels: from the dialect op to kernel.",
                   "For the kernels that are linked.", Make<Lowering>});
  table.push_back({"assign_layouts", Exactness::kExact,
                   "Lets values stay in the layouts that kernels chose.",
                   "Of a program that is lowered.", Make<LayoutAssignment>});
  return table;
}

}  // namespace switchyard::static_graph
