// SPDX-License-Identifier: Apache-2.0
#include "framework/base/small_array.h"

#include <memory>

#include "gtest/gtest.h"

namespace switchyard {
namespace {

bool IsInside(const void* element, const void* object, size_t size) {
  const char* const first = static_cast<const char*>(object);
  const char* const at = static_cast<const char*>(element);
  return at >= first && at < first + size;
}

TEST(SmallArrayTest, IsInlineUpToItsCapacity) {
  SmallArray<int, 3> empty;
  EXPECT_TRUE(empty.empty());
  EXPECT_EQ(empty.begin(), empty.end());
  SmallArray<int, 3> three(3);
  EXPECT_TRUE(IsInside(three.data(), &three, sizeof(three)));
  SmallArray<int, 3> four(4);
  EXPECT_FALSE(IsInside(four.data(), &four, sizeof(four)));
  EXPECT_EQ(four.size(), 4u);
}

TEST(SmallArrayTest, ElementsAreValueInitialised) {
  for (size_t size : {2, 5}) {
    SmallArray<int*, 2> array(size);
    for (int* element : array) EXPECT_EQ(element, nullptr);
  }
}

TEST(SmallArrayTest, DestroysWhatItHolds) {
  const auto shared = std::make_shared<int>(1);
  {
    SmallArray<std::shared_ptr<int>, 2> array(2);
    array[0] = shared;
    array[1] = shared;
    EXPECT_EQ(shared.use_count(), 3);
    array.Reset(4);
    EXPECT_EQ(shared.use_count(), 1);
    array[3] = shared;
    array.Reset(1);
    EXPECT_EQ(shared.use_count(), 1);
    array[0] = shared;
  }
  EXPECT_EQ(shared.use_count(), 1);
}

}  // namespace
}  // namespace switchyard
