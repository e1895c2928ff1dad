// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"

#include <thread>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

TEST(CpuContextTest, KnowsItsBackendPlaceAndMemory) {
  const CpuContext cpu;
  EXPECT_EQ(cpu.backend(), Backend::kCpu);
  EXPECT_EQ(cpu.place(), Place::Cpu());
  EXPECT_EQ(&cpu.allocator(), &CpuAllocator());
  const ReferenceContext reference;
  EXPECT_EQ(reference.backend(), Backend::kReference);
  EXPECT_EQ(reference.place(), Place::Cpu());
}

TEST(CpuContextTest, EachThreadHasItsCurrentContext) {
  for (const ContextProvider* provider :
       {&CpuContext::kContexts, &ReferenceContext::kContexts}) {
    DeviceContext* const mine = &provider->current(Place::Cpu());
    EXPECT_EQ(mine, &provider->current(Place::Cpu()));
    DeviceContext* other = mine;
    std::thread([&] { other = &provider->current(Place::Cpu()); }).join();
    EXPECT_NE(mine, other);
  }
}

TEST(CpuContextTest, MakeGivesAFreshOneThatAllocates) {
  const auto context = CpuContext::kContexts.make(Place::Cpu());
  EXPECT_EQ(context->backend(), Backend::kCpu);
  EXPECT_NE(context.get(), &CpuContext::kContexts.current(Place::Cpu()));
  DenseTensor tensor;
  tensor.SetMeta(DataType::kFloat32, {2}, Place::Cpu());
  EXPECT_THAT(context->Allocate(&tensor), IsOk());
  EXPECT_EQ(ReferenceContext::kContexts.make(Place::Cpu())->backend(),
            Backend::kReference);
}

}  // namespace
}  // namespace switchyard
