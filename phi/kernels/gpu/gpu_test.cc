// SPDX-License-Identifier: Apache-2.0
// GPU kernels against the reference ones. On a machine without a GPU it tests
// that each of them says so and writes nothing.
#include <cstdio>

#include "framework/device/gpu/gpu_context.h"
#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels {
namespace {

DenseTensor OnGpu(const GpuContext& gpu, const DenseTensor& x) {
  DenseTensor copy;
  copy.SetMeta(x.dtype(), x.shape(), gpu.place());
  const size_t bytes = x.numel() * SizeOf(x.dtype());
  auto buffer = gpu.allocator().Allocate(bytes);
  EXPECT_THAT(buffer, IsOk());
  copy.SetBuffer(*std::move(buffer));
  EXPECT_THAT(gpu.CopyToDevice(x.raw_data(), copy.mutable_data<void>(), bytes),
              IsOk());
  return copy;
}

DenseTensor OnHost(const GpuContext& gpu, const DenseTensor& x) {
  DenseTensor copy = EmptyTensor(x.dtype(), x.shape());
  EXPECT_THAT(gpu.CopyToHost(x.raw_data(), copy.mutable_data<void>(),
                             x.numel() * SizeOf(x.dtype())),
              IsOk());
  return copy;
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
  for (DenseTensor& x : there.inputs) x = OnGpu(gpu, x);
  std::vector<DenseTensor> results = {OnGpu(gpu, (*outputs)[0])};
  ASSERT_THAT(Launch(*kernel, there, &results), IsOk());
  const auto expected = RunKernel(call, "reference");
  ASSERT_THAT(expected, IsOk());
  EXPECT_TRUE(
      TensorsNear(OnHost(gpu, results[0]), (*expected)[0], {1e-4, 1e-5}));
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
