// SPDX-License-Identifier: Apache-2.0
// Measures what it gains to keep a program's values in the layouts of kernels:
// ten convolutions, each with bias and relu, with and without that pass.
#include <vector>

#include "benchmark/benchmark.h"
#include "framework/device/cpu/parallel.h"
#include "framework/testing/tensors.h"
#include "phi/core/kernel_tables.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/program/executable.h"
#include "tests/eager_static/conv_network.h"

namespace switchyard::static_graph {
namespace {

// Arguments: channels, extent, depthwise, channels last; of the last one 1 is
// every second filter of 1 x 1 and batch norms instead of biases and max
// pooling, 2 a skip connection around each two layers besides. Weights are
// constants.
void BM_Network(benchmark::State& state, bool assign_layouts) {
  SetNumThreads(1);
  ir::Context context;
  if (!RegisterDialects(&context, AllDialectOps()).ok()) return;
  ConvNetworkOptions network;
  network.channels = static_cast<int>(state.range(0));
  network.extent = static_cast<int>(state.range(1));
  network.depthwise = state.range(2) != 0;
  network.channels_last = state.range(3) != 0;
  if (state.range(4) != 0) {
    network.pointwise = network.batch_norm = true;
    network.pooling = "max";
  }
  network.residual = state.range(4) == 2;
  const auto graph = ConvNetwork(&context, network);
  if (!graph.ok()) return state.SkipWithError("the network has an error");
  CompileOptions options;
  options.assign_layouts = assign_layouts;
  const auto program =
      Executable::Compile(*graph, phi::KernelTables::Current(), options);
  if (!program.ok()) return state.SkipWithError("the program has an error");
  const Shape shape = (*program)->feeds()[0].meta.shape;
  const std::vector<Feed> feeds = {
      {"x", MakeTensor<float>(shape, std::vector<float>(shape.numel(), 0.5f))}};
  for (auto _ : state) {
    if (!(*program)->Run(feeds).ok()) {
      state.SkipWithError("the program did not run");
    }
  }
}

void Networks(benchmark::internal::Benchmark* benchmark) {
  benchmark->Args({32, 56, 0, 0, 0})
      ->Args({64, 56, 0, 0, 0})
      ->Args({512, 14, 1, 0, 0})
      ->Args({128, 28, 1, 0, 0})
      ->Args({16, 56, 0, 1, 0})
      ->Args({32, 56, 0, 1, 0})
      ->Args({64, 56, 1, 1, 0})
      ->Args({64, 56, 0, 0, 1})
      ->Args({128, 56, 0, 0, 1})
      ->Args({128, 28, 1, 0, 1})
      ->Args({256, 28, 1, 0, 1})
      ->Args({32, 28, 1, 0, 2})
      ->Args({64, 28, 1, 0, 2})
      ->Args({128, 28, 1, 0, 2})
      ->Args({32, 56, 1, 0, 2})
      ->Args({64, 56, 1, 0, 2});
}
BENCHMARK_CAPTURE(BM_Network, assigned, true)->Apply(Networks);
BENCHMARK_CAPTURE(BM_Network, strided, false)->Apply(Networks);

// Weights that are states, which a run reorders for its kernels once they were
// written: in each run (written), or never again. Arguments: channels, extent.
void BM_States(benchmark::State& state, bool written) {
  SetNumThreads(1);
  ir::Context context;
  if (!RegisterDialects(&context, AllDialectOps()).ok()) return;
  ConvNetworkOptions network;
  network.channels = static_cast<int>(state.range(0));
  network.extent = static_cast<int>(state.range(1));
  network.fixed_weights = false;
  const auto graph = ConvNetwork(&context, network);
  if (!graph.ok()) return state.SkipWithError("the network has an error");
  const auto program =
      Executable::Compile(*graph, phi::KernelTables::Current());
  if (!program.ok()) return state.SkipWithError("the program has an error");
  State weights;
  for (const ProgramPlan::Port& port : (*program)->states()) {
    const size_t count = static_cast<size_t>(port.meta.shape.numel());
    if (!weights
             .Set(port.name, MakeTensor<float>(port.meta.shape,
                                               NetworkValues(port.name, count)))
             .ok()) {
      return state.SkipWithError("a weight was refused");
    }
  }
  const Shape shape = (*program)->feeds()[0].meta.shape;
  const std::vector<Feed> feeds = {
      {"x", MakeTensor<float>(shape, std::vector<float>(shape.numel(), 0.5f))}};
  for (auto _ : state) {
    if (written) {
      for (const State::Entry& weight : weights.entries()) {
        weight.tensor.buffer()->BumpVersion();
      }
    }
    if (!(*program)->Run(feeds, &weights).ok()) {
      state.SkipWithError("the program did not run");
    }
  }
}

void StateNetworks(benchmark::internal::Benchmark* benchmark) {
  benchmark->Args({64, 56})->Args({256, 14})->Args({512, 7});
}
BENCHMARK_CAPTURE(BM_States, kept, false)->Apply(StateNetworks);
BENCHMARK_CAPTURE(BM_States, written, true)->Apply(StateNetworks);

}  // namespace
}  // namespace switchyard::static_graph
