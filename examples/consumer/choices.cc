// SPDX-License-Identifier: Apache-2.0
// Calls relu with the kernel of a backend of this workspace (fast_relu.cc) and
// with Switchyard's own, eagerly and in a program, and prints who was chosen.
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "eager/ops/relu.gen.h"
#include "eager/tensor/values.h"
#include "framework/base/op_error.h"
#include "phi/core/kernel_tables.h"
#include "phi/dispatch/environment.h"
#include "phi/dispatch/selection_recorder.h"
#include "phi/selection/policy_text.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/dialect/relu.gen.h"
#include "static_graph/program/executable.h"
#include "static_graph/program/graph_builder.h"

namespace {

using switchyard::Shape;
using switchyard::ThrowIfError;
using switchyard::ValueOrThrow;
using switchyard::eager::FromValues;
using switchyard::eager::Tensor;
using switchyard::eager::ToValues;
using switchyard::phi::KernelTables;
using switchyard::phi::dispatch::PolicyScope;
using switchyard::phi::dispatch::SelectionRecorder;
using switchyard::phi::selection::ParsePolicy;
using switchyard::phi::selection::Policy;
namespace static_graph = switchyard::static_graph;

void Print(const char* title, const std::vector<float>& values) {
  std::printf("== %s\nvalues:", title);
  for (const float value : values) std::printf(" %g", value);
  std::printf("\n");
}

Shape BatchOfOne(const std::vector<float>& values) {
  return {1, static_cast<int64_t>(values.size())};
}

void Eager(const char* title, const std::vector<float>& values,
           const Policy& policy) {
  const PolicyScope scope(policy);
  const SelectionRecorder record;
  const Tensor out =
      switchyard::eager::relu(FromValues<float>(values, BatchOfOne(values)));
  Print(title, ToValues<float>(out));
  for (const std::string& line : record.lines()) {
    std::printf("  %s\n", line.c_str());
  }
}

void Static(const char* title, const std::vector<float>& values,
            const Policy& policy) {
  const Shape shape = BatchOfOne(values);
  static_graph::ir::Context context;
  ThrowIfError(
      static_graph::RegisterDialects(&context, {&static_graph::dialect_relu}));
  static_graph::GraphBuilder builder(&context, "choices");
  const auto x =
      ValueOrThrow(builder.AddFeed("x", switchyard::DataType::kFloat32, shape));
  ThrowIfError(builder.Fetch("out", ValueOrThrow(builder.Call("relu", {x}))));
  const static_graph::ir::Program graph = ValueOrThrow(builder.Finish());
  static_graph::CompileOptions options;
  options.lowering.policy = policy;
  const auto program = ValueOrThrow(static_graph::Executable::Compile(
      graph, KernelTables::Current(), options));
  const auto fetches = ValueOrThrow(
      program->Run({{"x", FromValues<float>(values, shape).dense()}}));
  Print(title, ToValues<float>(Tensor(fetches[0].tensor)));
  std::printf("%s", ValueOrThrow(program->Explain({shape})).c_str());
}

void Run() {
  const std::vector<float> values = {-1, 2, -3, 4};
  const Policy ours =
      ValueOrThrow(ParsePolicy("backend=cpu", KernelTables::Current()));
  Eager("eager", values, {});
  Eager("eager, small", {-1, 2}, {});
  Eager("eager, without fast", values, ours);
  Static("program", values, {});
  Static("program, without fast", values, ours);
}

}  // namespace

int main() {
  try {
    Run();
  } catch (const switchyard::OpError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
