// SPDX-License-Identifier: Apache-2.0
// Runs on machines with and without a GPU: without one, the errors are tested.
#include "framework/device/gpu/gpu_context.h"

#include <cstdio>
#include <vector>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

TEST(GpuContextTest, SaysThatThereIsNoSuchGpu) {
  const GpuContext context(Place::Gpu(15));
  if (context.status().ok()) return;  // A machine with sixteen of them.
  EXPECT_THAT(context.status(),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       testing::HasSubstr("place must be a GPU")));
  EXPECT_THAT(device_gpu.allocator(15).Allocate(64),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(context.cublas(),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST(GpuContextTest, CopiesToAndFro) {
  const GpuContext context(Place::Gpu(0));
  if (!context.status().ok()) {
    std::printf("no GPU here: %s\n", context.status().ToString().c_str());
    EXPECT_EQ(device_gpu.count(), 0);
    EXPECT_THAT(device_gpu.allocator(0).Allocate(64),
                StatusIs(absl::StatusCode::kFailedPrecondition));
    return;
  }
  const std::vector<float> x = {1, 2, 3};
  std::vector<float> back(3);
  const size_t bytes = x.size() * sizeof(float);
  auto buffer = context.allocator().Allocate(bytes);
  ASSERT_THAT(buffer, IsOk());
  void* data = (*buffer)->data();
  ASSERT_THAT(
      device_gpu.copy(0, CopyDirection::kFromHost, x.data(), data, bytes),
      IsOk());
  ASSERT_THAT(
      device_gpu.copy(0, CopyDirection::kToHost, data, back.data(), bytes),
      IsOk());
  EXPECT_EQ(back, x);
}

}  // namespace
}  // namespace switchyard
