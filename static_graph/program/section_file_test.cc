// SPDX-License-Identifier: Apache-2.0
#include "static_graph/program/section_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/testing/matchers.h"

namespace switchyard::static_graph {
namespace {

using ::testing::HasSubstr;

std::string Small() {
  return EncodeSections({{1, "some text"}, {7, ""}, {2, "\1\2\3"}});
}

TEST(SectionFile, ReadsBackWhatIsWritten) {
  const absl::StatusOr<std::vector<Section>> sections = DecodeSections(Small());
  ASSERT_THAT(sections, IsOk());
  ASSERT_EQ(sections->size(), 3u);
  EXPECT_EQ((*sections)[0].kind, 1u);
  EXPECT_EQ((*sections)[0].bytes, "some text");
  EXPECT_EQ((*sections)[1].bytes, "");
  EXPECT_EQ((*sections)[2].bytes, "\1\2\3");
}

TEST(SectionFile, NoticesEveryFlippedBit) {
  const std::string bytes = Small();
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] ^= static_cast<char>(1 << bit % 8);
    ASSERT_THAT(DecodeSections(damaged), StatusIs(absl::StatusCode::kDataLoss))
        << bit;
  }
}

TEST(SectionFile, NoticesEveryTruncationAndAddedBytes) {
  const std::string bytes = Small();
  for (size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_THAT(DecodeSections(bytes.substr(0, size)),
                StatusIs(absl::StatusCode::kDataLoss))
        << size;
  }
  EXPECT_THAT(DecodeSections(bytes + '\0'),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("too long")));
}

}  // namespace
}  // namespace switchyard::static_graph
