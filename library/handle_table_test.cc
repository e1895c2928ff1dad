// SPDX-License-Identifier: Apache-2.0
#include "library/handle_table.h"

#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard::library {
namespace {

uint64_t Add(HandleTable<int>* table, int value) {
  auto handle = table->Add(std::make_shared<int>(value));
  EXPECT_THAT(handle, IsOk());
  return *handle;
}

std::string MessageFor(const HandleTable<int>& table, uint64_t handle) {
  return std::string(table.Find(handle).status().message());
}

TEST(HandleTableTest, AHandleFindsItsObjectUntilItIsRemoved) {
  HandleTable<int> table(7, "number");
  const uint64_t one = Add(&table, 1);
  const uint64_t two = Add(&table, 2);
  EXPECT_NE(one, two);
  EXPECT_EQ(**table.Find(one), 1);
  EXPECT_EQ(**table.Find(two), 2);
  EXPECT_EQ(**table.Remove(one), 1);
  EXPECT_EQ(MessageFor(table, one),
            "number must be a handle that was given and not freed, got one "
            "that was freed or never given");
  EXPECT_FALSE(table.Remove(one).ok());
  EXPECT_EQ(**table.Find(two), 2);
}

TEST(HandleTableTest, APlaceThatIsGivenAgainHasAnotherHandle) {
  HandleTable<int> table(7, "number");
  std::set<uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    const uint64_t handle = Add(&table, i);
    EXPECT_TRUE(seen.insert(handle).second);
    EXPECT_THAT(table.Remove(handle), IsOk());
  }
  for (const uint64_t handle : seen) EXPECT_FALSE(table.Find(handle).ok());
}

TEST(HandleTableTest, WhatIsNoHandleIsNamed) {
  HandleTable<int> table(7, "number");
  HandleTable<int> other(8, "number");
  const uint64_t handle = Add(&table, 1);
  EXPECT_THAT(MessageFor(table, 0), ::testing::EndsWith("got 0"));
  EXPECT_THAT(MessageFor(table, Add(&other, 1)),
              ::testing::EndsWith("got one of another kind"));
  for (const uint64_t wrong : {handle + 1, handle + (1 << 24), uint64_t{1},
                               ~uint64_t{0}, handle & ~uint64_t{0xffffff}}) {
    EXPECT_FALSE(table.Find(wrong).ok()) << wrong;
  }
}

TEST(HandleTableTest, AnObjectLivesWhileItIsUsed) {
  HandleTable<int> table(7, "number");
  const uint64_t handle = Add(&table, 5);
  const std::shared_ptr<int> used = *table.Find(handle);
  EXPECT_THAT(table.Remove(handle), IsOk());
  EXPECT_EQ(*used, 5);
  EXPECT_EQ(used.use_count(), 1);
}

TEST(HandleTableTest, ThreadsShareATable) {
  HandleTable<int> table(7, "number");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&table, t] {
      for (int i = 0; i < 2000; ++i) {
        const uint64_t handle = Add(&table, t);
        EXPECT_EQ(**table.Find(handle), t);
        EXPECT_EQ(**table.Remove(handle), t);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace switchyard::library
