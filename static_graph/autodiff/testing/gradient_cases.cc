// SPDX-License-Identifier: Apache-2.0
#include "static_graph/autodiff/testing/gradient_cases.h"

#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "static_graph/autodiff/gradients.h"
#include "static_graph/dialect/custom_gradient.h"
#include "static_graph/dialect/testing/toy_operators.h"
#include "static_graph/ir/parser.h"
#include "static_graph/ir/printer.h"
#include "static_graph/ir/testing/test_dialect.h"
#include "static_graph/ir/testing/text_cases.h"
#include "static_graph/ir/verifier.h"

namespace switchyard::static_graph::testing {
namespace {

bool IsStopped(ir::Value argument) {
  return argument.argument_name().substr(0, 4) == "stop";
}

absl::StatusOr<std::string> Differentiated(const std::string& text) {
  const std::unique_ptr<ir::Context> context = ToyContext();
  SY_RETURN_IF_ERROR(RegisterCustomGradient(context.get()));
  ir::RegisterTestDialect(context.get());  // An operation that is not pure.
  SY_ASSIGN_OR_RETURN(ir::Program program, ir::Parse(context.get(), text));
  SY_RETURN_IF_ERROR(ir::Verify(program));
  const std::string before = ir::Print(program);
  std::vector<ir::Value> wrt;
  std::vector<ir::Value> stopped;
  for (ir::Value argument : program.entry().arguments()) {
    if (!IsDifferentiable(argument.tensor_type().dtype())) continue;
    (IsStopped(argument) ? stopped : wrt).push_back(argument);
  }
  std::vector<ir::NamedValue> fetches = program.fetches();
  ir::Builder builder(context.get());
  builder.SetInsertionPoint(program.return_op());
  GradientOptions options;
  options.stop_gradient = stopped;
  SY_ASSIGN_OR_RETURN(const std::vector<ir::Value> gradients,
                      BuildGradients(builder, fetches[0].value, wrt, options));
  for (size_t i = 0; i < wrt.size(); ++i) {
    if (!gradients[i]) continue;
    fetches.push_back(
        {absl::StrCat("grad.", std::string(wrt[i].argument_name())),
         gradients[i]});
  }
  program.Return(fetches, program.new_states());
  SY_RETURN_IF_ERROR(ir::Verify(program));
  return ir::ChangedEnd(before, ir::Print(program));
}

}  // namespace

std::string WithGradients(const std::string& file) {
  return ir::Answered(file, [](const ir::TextCase& one) {
    const absl::StatusOr<std::string> printed =
        Differentiated(ir::WholeProgram(one.input));
    return printed.ok()
               ? *printed
               : absl::StrCat("error: ", printed.status().message(), "\n");
  });
}

}  // namespace switchyard::static_graph::testing
