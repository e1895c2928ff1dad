// SPDX-License-Identifier: Apache-2.0
// Measures the cost of a plugin's kernel over a linked one: both launch the
// same work on four floats.
//
//   bazel run //phi/capi:plugin_benchmark
#include "benchmark/benchmark.h"
#include "framework/base/op_error.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/testing/tensors.h"
#include "phi/capi/load_plugin.h"
#include "phi/core/kernel_tables.h"
#include "phi/core/kernel_thunk.h"
#include "phi/core/signatures/exp.gen.h"
#include "phi/core/signatures/gelu.gen.h"
#include "phi/core/signatures/leaky_relu.gen.h"
#include "phi/core/signatures/relu.gen.h"

namespace switchyard::phi {
namespace {

// Computes relu like testdata/sample_plugin.c.
absl::Status Next(const CpuContext&, const DenseTensor& x, DenseTensor* out) {
  const float* const from = x.data<float>();
  float* const to = out->mutable_data<float>();
  for (int64_t i = 0; i < x.numel(); ++i) to[i] = from[i] + 1;
  return absl::OkStatus();
}

void Launch(benchmark::State& state, KernelThunk thunk,
            const KernelDef* kernel) {
  const DenseTensor x = MakeTensor<float>({2, 2}, {1, 2, 3, 4});
  DenseTensor out = MakeTensor<float>({2, 2}, {0, 0, 0, 0});
  const TensorBase* const inputs[] = {&x};
  TensorBase* const outputs[] = {&out};
  KernelContext call(backend_cpu.contexts->current(Place::Cpu()),
                     {inputs, {}, outputs}, kernel);
  for (auto _ : state) ThrowIfError(thunk(call));
}

void LinkedKernel(benchmark::State& state) {
  Launch(state, &KernelThunkFor<&Next, CpuContext, ReluSignature>::Thunk,
         nullptr);
}
BENCHMARK(LinkedKernel);

void PluginKernel(benchmark::State& state) {
  static const KernelDef* const kernel = [] {
    static const OpInfo* const kOperators[] = {&info_exp, &info_leaky_relu,
                                               &info_relu, &info_gelu};
    ValueOrThrow(capi::LoadPlugin("phi/capi/testdata/sample.so", kOperators));
    return KernelTables::Current().Find("relu")->candidates(
        DataType::kFloat32)[0];
  }();
  Launch(state, kernel->thunk, kernel);
}
BENCHMARK(PluginKernel);

}  // namespace
}  // namespace switchyard::phi
