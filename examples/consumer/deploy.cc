// SPDX-License-Identifier: Apache-2.0
// Builds a layer, relu(x * weight + bias), as a program, saves it, and in a
// context of its own loads and runs it, with batches of one row and of two.
//
//   deploy FILE
#include <cstdio>
#include <string>
#include <vector>

#include "eager/tensor/values.h"
#include "framework/base/op_error.h"
#include "phi/core/kernel_tables.h"
#include "static_graph/dialect/add.gen.h"
#include "static_graph/dialect/matmul.gen.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/dialect/relu.gen.h"
#include "static_graph/program/executable.h"
#include "static_graph/program/graph_builder.h"
#include "static_graph/program/saved_program.h"

namespace {

using switchyard::DataType;
using switchyard::Dim;
using switchyard::Shape;
using switchyard::ThrowIfError;
using switchyard::ValueOrThrow;
using switchyard::eager::FromValues;
using switchyard::eager::Tensor;
using switchyard::eager::ToValues;
using switchyard::phi::KernelTables;
namespace static_graph = switchyard::static_graph;

// The operators that programs of this product may have.
void RegisterOperators(static_graph::ir::Context* context) {
  ThrowIfError(static_graph::RegisterDialects(
      context, {&static_graph::dialect_add, &static_graph::dialect_matmul,
                &static_graph::dialect_relu}));
}

void Save(const std::string& path) {
  static_graph::ir::Context context;
  RegisterOperators(&context);
  static_graph::GraphBuilder builder(&context, "layer");
  const auto x = ValueOrThrow(
      builder.AddFeed("x", DataType::kFloat32, Shape({Dim::Unknown(), 2})));
  const auto weight = ValueOrThrow(builder.Constant(
      FromValues<float>({1, -1, 2, 0.5f}, Shape({2, 2})).dense()));
  const auto bias = ValueOrThrow(
      builder.Constant(FromValues<float>({0.5f, -1}, Shape({2})).dense()));
  const auto product = ValueOrThrow(builder.Call("matmul", {x, weight}));
  const auto sum = ValueOrThrow(builder.Call("add", {product, bias}));
  ThrowIfError(builder.Fetch("out", ValueOrThrow(builder.Call("relu", {sum}))));
  const static_graph::ir::Program graph = ValueOrThrow(builder.Finish());
  ThrowIfError(static_graph::SaveProgram(path, graph, static_graph::State()));
}

void LoadAndRun(const std::string& path) {
  static_graph::ir::Context context;
  RegisterOperators(&context);
  static_graph::SavedProgram saved =
      ValueOrThrow(static_graph::LoadProgram(&context, path));
  const auto program = ValueOrThrow(static_graph::Executable::Compile(
      saved.program, KernelTables::Current()));
  for (const std::vector<float>& x :
       {std::vector<float>{1, 2}, std::vector<float>{1, 2, -3, 4}}) {
    const Shape shape({static_cast<int64_t>(x.size() / 2), 2});
    const auto fetches = ValueOrThrow(program->Run(
        {{"x", FromValues<float>(x, shape).dense()}}, &saved.state));
    std::printf("%s:", fetches[0].name.c_str());
    for (const float value : ToValues<float>(Tensor(fetches[0].tensor))) {
      std::printf(" %g", value);
    }
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: deploy FILE\n");
    return 2;
  }
  try {
    Save(argv[1]);
    LoadAndRun(argv[1]);
  } catch (const switchyard::OpError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
