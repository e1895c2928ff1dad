// SPDX-License-Identifier: Apache-2.0
#include "framework/device/device_context.h"

#include "framework/memory/fault_injecting_allocator.h"
#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

class TestContext final : public DeviceContext {
 public:
  explicit TestContext(Allocator* allocator)
      : DeviceContext(Place::Cpu(), allocator) {}
};

TEST(DeviceContextTest, AllocateGivesBytesOnce) {
  FaultInjectingAllocator allocator;
  const TestContext context(&allocator);
  DenseTensor tensor;
  tensor.SetMeta(DataType::kFloat32, {2, 3}, Place::Cpu());
  ASSERT_THAT(context.Allocate(&tensor), IsOk());
  EXPECT_EQ(tensor.buffer()->size(), 24u);
  const void* const data = tensor.raw_data();
  ASSERT_THAT(context.Allocate(&tensor), IsOk());
  EXPECT_EQ(tensor.raw_data(), data);
  EXPECT_EQ(allocator.requests(), 1);
}

TEST(DeviceContextTest, AnEmptyTensorGetsABufferToo) {
  FaultInjectingAllocator allocator;
  const TestContext context(&allocator);
  DenseTensor tensor;
  tensor.SetMeta(DataType::kFloat32, {0}, Place::Cpu());
  ASSERT_THAT(context.Allocate(&tensor), IsOk());
  EXPECT_TRUE(tensor.allocated());
}

TEST(DeviceContextTest, WithoutMemoryTheTensorStaysAsItWas) {
  FaultInjectingAllocator allocator;
  allocator.FailAfter(0);
  const TestContext context(&allocator);
  DenseTensor tensor;
  tensor.SetMeta(DataType::kFloat32, {2}, Place::Cpu());
  EXPECT_THAT(context.Allocate(&tensor),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_FALSE(tensor.allocated());
}

TEST(DeviceContextTest, SizesBeyondInt64NeverReachTheAllocator) {
  FaultInjectingAllocator allocator;
  const TestContext context(&allocator);
  DenseTensor tensor;
  tensor.SetMeta(DataType::kFloat32, {int64_t{1} << 40, int64_t{1} << 40},
                 Place::Cpu());
  EXPECT_THAT(context.Allocate(&tensor),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(allocator.requests(), 0);
}

}  // namespace
}  // namespace switchyard
