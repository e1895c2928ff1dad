// SPDX-License-Identifier: Apache-2.0
#include "framework/types/layout_descriptor.h"

#include <string>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

using Block = LayoutDescriptor::Block;

TEST(LayoutDescriptorTest, NamesReadBack) {
  for (const char* text :
       {"strided", "acdb", "adbc", "ba", "aBcd8b", "ABcd8b8a", "ABcd16b16a",
        "Acdb8a", "aDbc16d", "aebcd", "aBcd4b2b"}) {
    const auto layout = ParseLayoutDescriptor(text);
    ASSERT_TRUE(layout.has_value()) << text;
    EXPECT_EQ(Name(*layout), text);
  }
}

TEST(LayoutDescriptorTest, RefusesOtherTexts) {
  for (const char* text :
       {"", "blocked", "abcd", "abdd", "abce", "aBcd", "abcd8b", "aBcd8",
        "aBcd7b", "aBcd08b", "aBcd256b", "aBcd8e", "aBcd2b2b2b", "abcdef",
        "aBcd8b ", "NCHW", "8b"}) {
    EXPECT_EQ(ParseLayoutDescriptor(text), std::nullopt) << text;
  }
}

TEST(LayoutDescriptorTest, RowMajorOrderIsStrided) {
  EXPECT_EQ(LayoutDescriptor::Make({0, 1, 2}, {}), LayoutDescriptor());
  EXPECT_EQ(LayoutDescriptor().layout_class(), DataLayout::kStrided);
  EXPECT_EQ(LayoutDescriptor::Make({0, 2, 1}, {})->layout_class(),
            DataLayout::kPermuted);
  EXPECT_EQ(LayoutDescriptor::Make({0, 1}, {Block{1, 8}})->layout_class(),
            DataLayout::kBlocked);
  EXPECT_EQ(LayoutDescriptor::Make({}, {}), std::nullopt);
}

TEST(LayoutDescriptorTest, TellsTheShapeInMemory) {
  const auto blocked = *ParseLayoutDescriptor("ABcd8b8a");
  EXPECT_THAT(ShapeInMemory(blocked, Shape({16, 20, 3, 5})),
              IsOkAndHolds(Shape({2, 3, 3, 5, 8, 8})));
  EXPECT_FALSE(IsUnpadded(blocked, Shape({16, 20, 3, 5})));
  EXPECT_TRUE(IsUnpadded(blocked, Shape({16, 24, 3, 5})));
  const auto turned = *ParseLayoutDescriptor("adbc");
  EXPECT_THAT(ShapeInMemory(turned, Shape({2, 3, 5, 7})),
              IsOkAndHolds(Shape({2, 7, 3, 5})));
  EXPECT_TRUE(IsUnpadded(turned, Shape({2, 3, 5, 7})));
  EXPECT_THAT(ShapeInMemory(LayoutDescriptor(), Shape({2, 3})),
              IsOkAndHolds(Shape({2, 3})));
  EXPECT_TRUE(Describes(turned, Shape({2, 3, 5, 7})));
  EXPECT_FALSE(Describes(turned, Shape({2, 3})));
}

TEST(LayoutDescriptorTest, APaddedExtentMayLeaveInt64) {
  const int64_t most = int64_t{0x7fffffffffffffff};
  EXPECT_FALSE(
      ShapeInMemory(*ParseLayoutDescriptor("aB8b"), Shape({0, most})).ok());
}

}  // namespace
}  // namespace switchyard
