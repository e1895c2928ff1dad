// SPDX-License-Identifier: Apache-2.0
// GPU kernels against the reference ones. On a machine without a GPU it tests
// that each of them says so and writes nothing.
#include <cstdio>

#include "framework/device/gpu/gpu_context.h"
#include "framework/device/transfer.h"
#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels {
namespace {

// On `place`, by the devices' records.
DenseTensor Moved(const DenseTensor& x, Place place) {
  auto moved = Transferred(x, place);
  EXPECT_THAT(moved, IsOk());
  return moved.ok() ? *std::move(moved) : DenseTensor();
}

void CheckOnGpu(const KernelCase& call, std::string_view backend) {
  const GpuContext gpu(Place::Gpu(0));
  const KernelDef* kernel = FindKernel(call, backend);
  ASSERT_NE(kernel, nullptr);
  auto outputs = Outputs(call);
  ASSERT_THAT(outputs, IsOk());
  if (!gpu.status().ok()) {
    std::printf("no GPU here: only the error is tested\n");
    const auto before = ToVector<float>((*outputs)[0]);
    EXPECT_THAT(Launch(*kernel, call, &*outputs),
                StatusIs(absl::StatusCode::kFailedPrecondition));
    EXPECT_EQ(ToVector<float>((*outputs)[0]), before);
    return;
  }
  KernelCase there = call;
  for (DenseTensor& x : there.inputs) x = Moved(x, gpu.place());
  std::vector<DenseTensor> results = {Moved((*outputs)[0], gpu.place())};
  ASSERT_THAT(Launch(*kernel, there, &results), IsOk());
  const auto expected = RunKernel(call, "reference");
  ASSERT_THAT(expected, IsOk());
  EXPECT_TRUE(TensorsNear(Moved(results[0], Place::Cpu()), (*expected)[0],
                          {1e-4, 1e-5}));
}

TEST(GpuTest, Relu) {
  CheckOnGpu({"relu", {RandomTensor<float>(Shape({1000, 33}))}}, "gpu");
}

TEST(GpuTest, Add) {
  CheckOnGpu({"add",
              {RandomTensor<float>(Shape({70, 1, 33})),
               RandomTensor<float>(Shape({5, 33}), -1, 1, /*seed=*/2)}},
             "gpu");
}

TEST(GpuTest, Matmul) {
  CheckOnGpu({"matmul",
              {RandomTensor<float>(Shape({3, 64, 50})),
               RandomTensor<float>(Shape({20, 50}), -1, 1, /*seed=*/2)},
              {false, true}},
             "gpu");
}

TEST(GpuTest, Softmax) {
  for (const int axis : {0, 1, -1}) {
    CheckOnGpu({"softmax", {RandomTensor<float>(Shape({9, 40, 7}))}, {axis}},
               "gpudnn");
  }
}

}  // namespace
}  // namespace switchyard::phi::kernels
