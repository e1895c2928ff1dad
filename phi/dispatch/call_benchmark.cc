// SPDX-License-Identifier: Apache-2.0
// Measures what dispatch costs beside the kernel: an addition of one element
// each.
#include "benchmark/benchmark.h"
#include "framework/testing/tensors.h"
#include "phi/dispatch/call.h"
#include "phi/dispatch/testing/fake_kernels.h"

namespace switchyard::phi::dispatch {
namespace {

void BM_WholeCall(benchmark::State& state) {
  const DenseTensor x = MakeTensor<float>({1}, {1});
  const DenseTensor y = MakeTensor<float>({1}, {2});
  const TensorBase* const inputs[] = {&x, &y};
  for (auto _ : state) {
    DenseTensor out;
    TensorBase* const outputs[] = {&out};
    Call call(fake_plus.info, {inputs, {}, outputs});
    if (!call.Run(fake_plus.op_kernels).ok())
      state.SkipWithError("call failed");
    benchmark::DoNotOptimize(out);
  }
}
BENCHMARK(BM_WholeCall);

// Without the launch and the memory: the output holds its buffer.
void BM_PrepareInPlace(benchmark::State& state) {
  const DenseTensor x = MakeTensor<float>({1}, {1});
  const DenseTensor y = MakeTensor<float>({1}, {2});
  const TensorBase* const inputs[] = {&x, &y};
  DenseTensor out = x;
  TensorBase* const outputs[] = {&out};
  for (auto _ : state) {
    Call call(fake_plus.info, {inputs, {}, outputs});
    if (!call.Prepare(fake_plus.op_kernels).ok())
      state.SkipWithError("call failed");
    benchmark::DoNotOptimize(call);
  }
}
BENCHMARK(BM_PrepareInPlace);

void BM_Select(benchmark::State& state) {
  const Shape shape = {1};
  TensorMeta meta;
  meta.shape = shape;
  meta.dtype = DataType::kFloat32;
  const TensorMeta* const inputs[] = {&meta, &meta};
  selection::Query query;
  query.op = &fake_plus.info;
  query.inputs = inputs;
  query.dtype = DataType::kFloat32;
  const selection::Policy policy;
  for (auto _ : state) {
    auto selection = selection::Select(fake_plus.op_kernels, query, policy);
    benchmark::DoNotOptimize(selection);
  }
}
BENCHMARK(BM_Select);

}  // namespace
}  // namespace switchyard::phi::dispatch
