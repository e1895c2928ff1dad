// SPDX-License-Identifier: Apache-2.0
// GPU kernels against the reference ones.
#include "framework/device/gpu/gpu_context.h"
#include "framework/device/transfer.h"
#include "gtest/gtest.h"
#include "phi/kernels/gpu/gpu_cases.h"

namespace switchyard::phi::kernels {
namespace {

// On `place`, by the devices' records.
DenseTensor Moved(const DenseTensor& x, Place place) {
  auto moved = Transferred(x, place);
  EXPECT_THAT(moved, IsOk());
  return moved.ok() ? *std::move(moved) : DenseTensor();
}

TEST(GpuTest, KernelsAgreeWithTheReferenceOnes) {
  const Place gpu = Place::Gpu(0);
  for (const auto& [backend, call] : GpuCases()) {
    SCOPED_TRACE(call.op);
    const KernelDef* kernel = FindKernel(call, backend);
    ASSERT_NE(kernel, nullptr);
    auto outputs = Outputs(call);
    ASSERT_THAT(outputs, IsOk());
    KernelCase there = call;
    for (DenseTensor& x : there.inputs) x = Moved(x, gpu);
    std::vector<DenseTensor> results = {Moved((*outputs)[0], gpu)};
    ASSERT_THAT(Launch(*kernel, there, &results), IsOk());
    const auto expected = RunKernel(call, "reference");
    ASSERT_THAT(expected, IsOk());
    EXPECT_TRUE(TensorsNear(Moved(results[0], Place::Cpu()), (*expected)[0],
                            {1e-4, 1e-5}));
  }
}

}  // namespace
}  // namespace switchyard::phi::kernels
