// SPDX-License-Identifier: Apache-2.0
#include "framework/types/data_layout.h"

#include "gtest/gtest.h"

namespace switchyard {
namespace {

TEST(DataLayoutTest, Names) {
  EXPECT_EQ(Name(DataLayout::kStrided), "strided");
  EXPECT_EQ(Name(DataLayout::kBlocked), "blocked");
  EXPECT_EQ(Name(DataLayout::kPermuted), "permuted");
}

}  // namespace
}  // namespace switchyard
