// SPDX-License-Identifier: Apache-2.0
#include "framework/random/generator.h"

#include <set>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace switchyard {
namespace {

TEST(GeneratorTest, ReserveGivesTheOldStateAndMovesOn) {
  Generator generator(7);
  EXPECT_EQ(generator.Reserve(3), (RngState{7, 0}));
  EXPECT_EQ(generator.Reserve(1), (RngState{7, 3}));
  EXPECT_EQ(generator.state(), (RngState{7, 4}));
}

TEST(GeneratorTest, SeedAndStateStartAgain) {
  Generator generator(7);
  generator.Reserve(3);
  generator.Seed(8);
  EXPECT_EQ(generator.state(), (RngState{8, 0}));
  generator.set_state({9, INT64_MAX});
  EXPECT_EQ(generator.Reserve(1), (RngState{9, INT64_MAX}));
  EXPECT_EQ(generator.state(), (RngState{9, INT64_MIN}));
}

TEST(GeneratorTest, ThreadsGetDistinctOffsets) {
  Generator generator;
  std::vector<std::vector<int64_t>> taken(4);
  std::vector<std::thread> threads;
  for (std::vector<int64_t>& offsets : taken) {
    threads.emplace_back([&generator, &offsets] {
      for (int i = 0; i < 1000; ++i) {
        offsets.push_back(generator.Reserve(1).offset);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<int64_t> distinct;
  for (const std::vector<int64_t>& offsets : taken) {
    distinct.insert(offsets.begin(), offsets.end());
  }
  EXPECT_EQ(distinct.size(), 4000u);
  EXPECT_EQ(generator.state().offset, 4000);
}

TEST(GeneratorTest, ThereIsOneDefault) {
  EXPECT_EQ(&DefaultGenerator(), &DefaultGenerator());
  EXPECT_EQ(DefaultGenerator().state(), (RngState{0, 0}));
}

}  // namespace
}  // namespace switchyard
