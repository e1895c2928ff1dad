// SPDX-License-Identifier: Apache-2.0
#include "framework/testing/allocation_counter.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace switchyard {
namespace {

TEST(AllocationCounter, CountsEveryFormOfNew) {
  const AllocationCounter counter;
  EXPECT_EQ(counter.count(), 0);
  const auto one = std::make_unique<int>(1);
  EXPECT_EQ(counter.count(), 1);
  const std::vector<int> list(*one + 9);
  EXPECT_EQ(counter.count(), 2);
  const auto array = std::make_unique<int[]>(list.size());
  EXPECT_EQ(counter.count(), 3);
  EXPECT_EQ(counter.bytes(), static_cast<int64_t>(21 * sizeof(int)));
}

}  // namespace
}  // namespace switchyard
