// SPDX-License-Identifier: Apache-2.0
#include "framework/device/gpu/gpu_context.h"

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

TEST(GpuContextTest, SaysThatThereIsNoSuchGpu) {
  const int beyond = device_gpu.count();
  const GpuContext context(Place::Gpu(beyond));
  EXPECT_THAT(context.status(),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       testing::HasSubstr("place must be a GPU")));
  EXPECT_THAT(device_gpu.allocator(beyond).Allocate(64),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(context.cublas(),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

}  // namespace
}  // namespace switchyard
