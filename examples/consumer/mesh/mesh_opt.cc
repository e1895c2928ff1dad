// SPDX-License-Identifier: Apache-2.0
// mesh_opt: programs of the dialects `mesh`, `op` and `cf`.
//   mesh_opt print FILE        verifies the text and prints it
//   mesh_opt cancel FILE       runs the pass cancel_gathers, then prints it
//   mesh_opt save FILE BINARY  saves the program
//   mesh_opt load BINARY       prints the saved program, with locations
//   mesh_opt run FILE          runs it on one device, for a feed of -1 and 2
//   mesh_opt build             makes a program of inferred types, and prints it
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "eager/tensor/values.h"
#include "framework/tensor/dense_tensor.h"
#include "mesh/cancel_gathers.h"
#include "mesh/mesh_dialect.h"
#include "phi/core/kernel_tables.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/dialect/relu.gen.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/parser.h"
#include "static_graph/ir/printer.h"
#include "static_graph/ir/verifier.h"
#include "static_graph/pass/pass_manager.h"
#include "static_graph/program/executable.h"
#include "static_graph/program/saved_program.h"

namespace mesh {
namespace {

namespace sg = switchyard::static_graph;
using switchyard::DataType;
using switchyard::DenseTensor;

std::string ReadText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

absl::StatusOr<ir::Program> Read(ir::Context* context,
                                 const std::string& path) {
  SY_ASSIGN_OR_RETURN(ir::Program program, ir::Parse(context, ReadText(path)));
  SY_RETURN_IF_ERROR(ir::Verify(program));
  return program;
}

absl::Status Cancel(ir::Program& program) {
  sg::PassManager manager;
  SY_RETURN_IF_ERROR(manager.Add(std::make_unique<CancelGathers>()));
  return manager.Run(program).status();
}

absl::Status RunOnce(const ir::Program& program) {
  SY_ASSIGN_OR_RETURN(const auto compiled,
                      sg::Executable::Compile(
                          program, switchyard::phi::KernelTables::Current()));
  const DenseTensor x =
      switchyard::eager::FromValues<float>({-1, 2}, {2}).dense();
  SY_ASSIGN_OR_RETURN(const auto fetches, compiled->Run({{"x", x}}));
  for (const sg::Fetch& fetch : fetches) {
    std::cout << fetch.name << ":";
    for (int64_t i = 0; i < fetch.tensor.numel(); ++i) {
      std::cout << " " << fetch.tensor.data<float>()[i];
    }
    std::cout << "\n";
  }
  return absl::OkStatus();
}

absl::StatusOr<ir::Value> Add(ir::Builder& builder, const char* name,
                              ir::Value operand,
                              std::vector<ir::NamedAttribute> attributes) {
  ir::OperationState state;
  state.definition = builder.context()->FindOp(name);
  state.operands = {operand};
  state.attributes = std::move(attributes);
  SY_ASSIGN_OR_RETURN(const ir::Operation* op,
                      builder.CreateInferred(std::move(state)));
  return op->result(0);
}

absl::Status Build(ir::Context* context) {
  ir::Program program(context, "built");
  const ir::Value x =
      program.AddFeed("x", context->GetTensorType(DataType::kFloat32, {4, 3}));
  ir::Builder builder(context, &program.entry());
  builder.SetLocation(context->GetLocation(__FILE__, 1));
  SY_ASSIGN_OR_RETURN(const ir::Attribute axis,
                      context->Get<AxisAttribute>({"rows", 2}));
  SY_ASSIGN_OR_RETURN(const ir::Value cut, Add(builder, kCutOp, x,
                                               {builder.Named(kAxisAttr, axis),
                                                builder.Named(kDimAttr, 0)}));
  SY_ASSIGN_OR_RETURN(const ir::Value whole, Add(builder, kGatherOp, cut, {}));
  program.Return({{"y", whole}}, {});
  SY_RETURN_IF_ERROR(ir::Verify(program));
  std::cout << ir::Print(program);
  return Add(builder, kGatherOp, x, {}).status();
}

absl::Status Main(const std::vector<std::string>& words) {
  ir::Context context;
  const sg::DialectOp* const operators[] = {&sg::dialect_relu};
  SY_RETURN_IF_ERROR(sg::RegisterDialects(&context, operators));
  SY_RETURN_IF_ERROR(context.Register(MeshDialect()));
  const std::string verb = words.empty() ? "" : words[0];
  if (verb == "build") return Build(&context);
  if (words.size() < 2) {
    return absl::InvalidArgumentError(
        "usage: mesh_opt print|cancel|save|load|run FILE [BINARY]");
  }
  if (verb == "load") {
    SY_ASSIGN_OR_RETURN(const sg::SavedProgram saved,
                        sg::LoadProgram(&context, words[1]));
    std::cout << ir::Print(saved.program, {/*locations=*/true});
    return absl::OkStatus();
  }
  SY_ASSIGN_OR_RETURN(ir::Program program, Read(&context, words[1]));
  if (verb == "run") return RunOnce(program);
  if (verb == "save" && words.size() == 3) {
    return sg::SaveProgram(words[2], program, {});
  }
  if (verb == "cancel") SY_RETURN_IF_ERROR(Cancel(program));
  std::cout << ir::Print(program);
  return absl::OkStatus();
}

}  // namespace
}  // namespace mesh

int main(int argc, char** argv) {
  const absl::Status status =
      mesh::Main(std::vector<std::string>(argv + 1, argv + argc));
  if (status.ok()) return 0;
  std::cout << "error: " << status.message() << "\n";
  return 1;
}
