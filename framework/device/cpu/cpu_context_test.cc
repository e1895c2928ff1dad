// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"

#include <thread>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

TEST(CpuContextTest, KnowsItsPlaceAndMemory) {
  const CpuContext cpu;
  EXPECT_EQ(cpu.place(), Place::Cpu());
  EXPECT_EQ(&cpu.allocator(), &CpuAllocator());
  const ReferenceContext reference;
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
  EXPECT_NE(context.get(), &CpuContext::kContexts.current(Place::Cpu()));
  DenseTensor tensor;
  tensor.SetMeta(DataType::kFloat32, {2}, Place::Cpu());
  EXPECT_THAT(context->Allocate(&tensor), IsOk());
}

TEST(BackendInfoTest, TheOracleIsAskedLastAndOnlyByName) {
  EXPECT_TRUE(backend_cpu.by_default);
  EXPECT_FALSE(backend_reference.by_default);
  EXPECT_LT(backend_reference.rank, backend_cpu.rank);
  EXPECT_EQ(backend_cpu.contexts, &CpuContext::kContexts);
  EXPECT_EQ(backend_reference.contexts, &ReferenceContext::kContexts);
}

}  // namespace
}  // namespace switchyard
