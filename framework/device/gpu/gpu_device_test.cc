// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "framework/device/gpu/gpu_context.h"
#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

TEST(GpuDeviceTest, CopiesToAndFro) {
  const GpuContext context(Place::Gpu(0));
  ASSERT_THAT(context.status(), IsOk());
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
