// SPDX-License-Identifier: Apache-2.0
// Measures what a call costs beside its arithmetic: operators on one element,
// through the eager C++ API, results allocated and freed.
#include "benchmark/benchmark.h"
#include "eager/autograd/engine.h"
#include "eager/autograd/grad_mode.h"
#include "eager/ops/add.gen.h"
#include "eager/ops/relu.gen.h"
#include "framework/testing/tensors.h"
#include "phi/core/kernel_table.h"

namespace switchyard {
namespace {

eager::Tensor One(bool requires_grad) {
  eager::Tensor x(MakeTensor<float>({1}, {1}));
  if (requires_grad && !x.set_requires_grad(true).ok()) return {};
  return x;
}

void BM_AddNoGrad(benchmark::State& state) {
  const eager::NoGradGuard no_grad;
  const eager::Tensor x = One(false), y = One(false);
  for (auto _ : state) benchmark::DoNotOptimize(eager::add(x, y));
}
BENCHMARK(BM_AddNoGrad);

void BM_ReluNoGrad(benchmark::State& state) {
  const eager::NoGradGuard no_grad;
  const eager::Tensor x = One(false);
  for (auto _ : state) benchmark::DoNotOptimize(eager::relu(x));
}
BENCHMARK(BM_ReluNoGrad);

void BM_AddRecording(benchmark::State& state) {
  const eager::Tensor x = One(true), y = One(true);
  for (auto _ : state) benchmark::DoNotOptimize(eager::add(x, y));
}
BENCHMARK(BM_AddRecording);

// A hundred additions, forward and backward.
void BM_Chain100Add(benchmark::State& state) {
  const eager::Tensor one = One(false);
  eager::Tensor x = One(true);
  for (auto _ : state) {
    eager::Tensor y = x;
    for (int i = 0; i < 100; ++i) y = eager::add(y, one);
    if (!eager::Backward({y}).ok() || !x.set_grad({}).ok()) {
      state.SkipWithError("backward failed");
    }
  }
}
BENCHMARK(BM_Chain100Add);

}  // namespace
}  // namespace switchyard
