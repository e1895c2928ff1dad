// SPDX-License-Identifier: Apache-2.0
// Measures what a node of a program costs: chains of one operator on one
// element, and a whole call of a program of one node.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>

#include "benchmark/benchmark.h"
#include "framework/testing/tensors.h"
#include "phi/core/kernel_tables.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/parser.h"
#include "static_graph/program/executable.h"

namespace switchyard::static_graph {
namespace {

// `nodes` times x = op(x), or op(x, y).
std::string ChainText(const std::string& op, int nodes) {
  const bool binary = op == "add";
  std::string text =
      "program @chain {\n  ^entry(%x: feed \"x\" tensor<float32[1]>, "
      "%y: feed \"y\" tensor<float32[1]>):\n";
  std::string last = "%x";
  for (int i = 0; i < nodes; ++i) {
    const std::string next = "%" + std::to_string(i);
    text += "    " + next + " = op." + op + "(" + last +
            (binary ? ", %y" : "") + ") : tensor<float32[1]>\n";
    last = next;
  }
  return text + "    builtin.return(\"out\" = " + last + ")\n}\n";
}

class Chain {
 public:
  Chain(const std::string& op, int nodes) {
    if (!RegisterDialects(&context_, AllDialectOps()).ok()) return;
    auto parsed = ir::Parse(&context_, ChainText(op, nodes));
    if (!parsed.ok()) return;
    CompileOptions options;
    auto program = Executable::Compile(*std::move(parsed),
                                       phi::KernelTables::Current(), options);
    if (program.ok()) program_ = *program;
  }
  bool Run() {
    return program_ != nullptr && program_->Run(feeds_, &state_).ok();
  }

 private:
  ir::Context context_;
  std::shared_ptr<const Executable> program_;
  State state_;
  const std::vector<Feed> feeds_ = {{"x", MakeTensor<float>({1}, {1})},
                                    {"y", MakeTensor<float>({1}, {2})}};
};

// The time of the 200 nodes beyond the first 200.
void BM_ChainNode(benchmark::State& state, const char* op) {
  Chain short_chain(op, 200), long_chain(op, 400);
  using Clock = std::chrono::steady_clock;
  for (auto _ : state) {
    const auto begin = Clock::now();
    bool ok = short_chain.Run();
    const auto middle = Clock::now();
    ok = long_chain.Run() && ok;
    const auto end = Clock::now();
    if (!ok) state.SkipWithError("the chain did not run");
    const std::chrono::duration<double> beyond =
        (end - middle) - (middle - begin);
    state.SetIterationTime(std::max(0.0, beyond.count()));
  }
}
BENCHMARK_CAPTURE(BM_ChainNode, relu, "relu")->UseManualTime();
BENCHMARK_CAPTURE(BM_ChainNode, add, "add")->UseManualTime();

void BM_OneNodeCall(benchmark::State& state) {
  Chain chain("relu", 1);
  for (auto _ : state) {
    if (!chain.Run()) state.SkipWithError("the program did not run");
  }
}
BENCHMARK(BM_OneNodeCall);

}  // namespace
}  // namespace switchyard::static_graph
