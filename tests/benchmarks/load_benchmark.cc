// SPDX-License-Identifier: Apache-2.0
// Measures what loading a Paddle program of very many operators costs:
// processor time by step, and the peak of memory over the started process.
// docs/robustness.md holds the figures and the bounds.
//
//   bazel run //tests/benchmarks:load_benchmark -- 100000
#include <malloc.h>
#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <utility>

#include "phi/core/kernel_tables.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/foreign/paddle_desc/program_desc.h"
#include "static_graph/model/paddle_program.h"
#include "static_graph/program/executable.h"
#include "static_graph/program/pipeline.h"

namespace switchyard::static_graph {
namespace {

double CpuSeconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double PeakMiB() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// Returns what is allocated, of a process of one arena.
double LiveMiB() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd) / (1 << 20);
}

// Prints what a step took.
class Meter {
 public:
  void Step(const char* name) {
    const double now = CpuSeconds();
    std::printf("%-10s %6.0f ms, live %6.1f MiB, peak %6.1f MiB\n", name,
                1e3 * (now - seconds_), LiveMiB() - live_, PeakMiB() - start_);
    total_ += now - seconds_;
    seconds_ = now;
  }
  void Total() {
    std::printf("%-10s %6.0f ms, live %6.1f MiB, peak %6.1f MiB\n", "all",
                1e3 * total_, LiveMiB() - live_, PeakMiB() - start_);
  }

 private:
  double seconds_ = CpuSeconds();
  double start_ = PeakMiB();
  double live_ = LiveMiB();
  double total_ = 0;
};

void AddVariable(const std::string& name, translate::BlockDesc* block) {
  translate::VarDesc* variable = block->add_vars();
  variable->set_name(name);
  translate::VarType* type = variable->mutable_type();
  type->set_type(static_cast<int32_t>(WrittenKind::kDenseTensor));
  translate::TensorDesc* tensor =
      type->mutable_dense_tensor()->mutable_tensor();
  tensor->set_data_type(5);  // float32
  tensor->add_dims(-1);
  tensor->add_dims(4);
}

// A chain of `count` relu operators.
std::string Chain(int count) {
  translate::ProgramDesc program;
  translate::BlockDesc* block = program.add_blocks();
  block->set_idx(0);
  block->set_parent_idx(-1);
  std::string last = "x";
  AddVariable(last, block);
  for (int i = 0; i < count; ++i) {
    const std::string next = "v" + std::to_string(i);
    AddVariable(next, block);
    translate::OpDesc* op = block->add_ops();
    op->set_type("relu");
    translate::OpDesc::Var* input = op->add_inputs();
    input->set_parameter("X");
    input->add_arguments(last);
    translate::OpDesc::Var* output = op->add_outputs();
    output->set_parameter("Out");
    output->add_arguments(next);
    last = next;
  }
  return program.SerializeAsString();
}

absl::Status Measure(const std::string& path) {
  ir::Context context;
  SY_RETURN_IF_ERROR(RegisterDialects(&context, AllDialectOps()));
  Meter meter;
  SY_ASSIGN_OR_RETURN(LoadedProgram loaded, LoadPaddleProgram(&context, path));
  meter.Step("translate");
  CompileOptions options;
  options.lowering.relaxed.fusion = Fusion::kRelaxed;
  SY_RETURN_IF_ERROR(
      Optimize(loaded.program, phi::KernelTables::Current(), options.lowering));
  meter.Step("passes");
  options.keep_text = false;  // As sy.load().
  SY_ASSIGN_OR_RETURN(
      const auto compiled,
      Executable::Compile(loaded.program, phi::KernelTables::Current(),
                          options));
  meter.Step("compile");
  meter.Total();
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 100000;
  const char* folder = std::getenv("TMPDIR");
  const std::string path = std::string(folder == nullptr ? "/tmp" : folder) +
                           "/load_benchmark.pdmodel";
  if (argc <= 2) {
    // In a process of its own, whose peak is not that of the measured one.
    std::ofstream(path, std::ios::binary) << Chain(count);
    const std::string again =
        std::string(argv[0]) + " " + std::to_string(count) + " " + path;
    const int status = std::system(again.c_str());
    std::remove(path.c_str());
    return status == 0 ? 0 : 1;
  }
  const absl::Status status = Measure(argv[2]);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace switchyard::static_graph

int main(int argc, char** argv) {
  return switchyard::static_graph::Main(argc, argv);
}
