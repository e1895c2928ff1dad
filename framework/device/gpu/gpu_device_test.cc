// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "framework/device/gpu/gpu_context.h"
#include "framework/device/stream.h"
#include "framework/device/transfer.h"
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
  ASSERT_THAT(RegisterDevice(device_gpu), IsOk());
  auto first = context.allocator().Allocate(bytes);
  auto second = context.allocator().Allocate(bytes);
  ASSERT_THAT(first, IsOk());
  ASSERT_THAT(second, IsOk());
  const BytesAt one = {first->get(), (*first)->data()};
  const BytesAt two = {second->get(), (*second)->data()};
  ASSERT_THAT(CopyBytes({nullptr, x.data()}, one, bytes), IsOk());
  // Given to a stream, which the copy to the host waits for.
  const auto side = Stream::Make(Place::Gpu(0));
  ASSERT_THAT(side, IsOk());
  {
    const StreamScope scope(*side);
    ASSERT_THAT(CopyBytes(one, two, bytes), IsOk());
  }
  ASSERT_THAT(CopyToHost(two, back.data(), bytes), IsOk());
  EXPECT_EQ(back, x);
  EXPECT_THAT(Synchronize(Place::Gpu(0)), IsOk());
}

}  // namespace
}  // namespace switchyard
