// SPDX-License-Identifier: Apache-2.0
#include "framework/device/sim/sim_memory.h"

#include <cstring>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

TEST(SimArenaTest, BlocksAreFilledWithThePatternAndReachedByTheirAlias) {
  SimArena& arena = SimArena::Get();
  const auto block = arena.Allocate(100);
  ASSERT_THAT(block, IsOk());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(*block) % 64, 0u);
  auto* const bytes = static_cast<unsigned char*>(arena.Alias(*block));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(bytes[i], SimArena::kPattern);
  EXPECT_EQ(arena.FindBlock(static_cast<char*>(*block) + 99), *block);
  std::memset(bytes, 1, 100);
  arena.Free(*block);
  const auto again = arena.Allocate(100);
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(*again, *block);
  EXPECT_EQ(bytes[50], SimArena::kPattern);
  arena.Free(*again);
}

TEST(SimArenaTest, GapsGrowTogetherAgain) {
  SimArena& arena = SimArena::Get();
  const size_t third = SimArena::kBytes / 4;
  void* blocks[3];
  for (void*& block : blocks) {
    auto made = arena.Allocate(third);
    ASSERT_THAT(made, IsOk());
    block = *made;
  }
  EXPECT_THAT(arena.Allocate(2 * third),
              StatusIs(absl::StatusCode::kResourceExhausted));
  for (const int i : {0, 2, 1}) arena.Free(blocks[i]);
  const auto large = arena.Allocate(3 * third);
  ASSERT_THAT(large, IsOk());
  arena.Free(*large);
}

TEST(SimArenaTest, RefusesWhatNoArenaHolds) {
  for (const size_t bytes : {SimArena::kBytes, ~size_t{0}}) {
    EXPECT_THAT(SimArena::Get().Allocate(bytes),
                StatusIs(absl::StatusCode::kResourceExhausted,
                         testing::HasSubstr("the memory of sim")));
  }
}

TEST(SimArenaDeathTest, TheHostMayNeitherReadNorWrite) {
  const auto block = SimArena::Get().Allocate(64);
  ASSERT_THAT(block, IsOk());
  auto* const byte = static_cast<volatile char*>(*block);
  EXPECT_DEATH({ *byte = 1; }, "");
  EXPECT_DEATH({ [[maybe_unused]] const char read = *byte; }, "");
  SimArena::Get().Free(*block);
}

}  // namespace
}  // namespace switchyard
