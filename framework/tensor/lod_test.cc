// SPDX-License-Identifier: Apache-2.0
#include "framework/tensor/lod.h"

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

using Levels = std::vector<std::vector<int64_t>>;

TEST(LodTest, ValidLevels) {
  EXPECT_THAT(Validate(LoD{}, 6), IsOk());
  EXPECT_THAT(Validate(LoD{{{0, 2, 3, 6}}}, 6), IsOk());
  EXPECT_THAT(Validate(LoD{{{0, 0, 6}}}, 6), IsOk());
  EXPECT_THAT(Validate(LoD{{{0, 2, 3}, {0, 2, 3, 6}}}, 6), IsOk());
  EXPECT_THAT(Validate(LoD{{{0}}}, 0), IsOk());
}

struct InvalidCase {
  Levels offsets;
  const char* message;
};

TEST(LodTest, InvalidLevelsSayWhy) {
  const InvalidCase cases[] = {
      {{{}},
       "lod must be a list of offsets from 0 in each level, got level 0 "
       "empty"},
      {{{1, 6}},
       "lod must be a list of offsets from 0 in each level, got level 0 from "
       "1"},
      {{{0, 3, 2, 6}},
       "lod must be of offsets that never decrease, got level 0 with 2 after "
       "3"},
      {{{0, 5}},
       "lod must be of offsets that end at 6 (rows), got level 0 that ends at "
       "5"},
      {{{0, 2}, {0, 2, 3, 6}},
       "lod must be of offsets that end at 3 (sequences of the next level), "
       "got level 0 that ends at 2"},
      {{{0, 3}, {0, 2, 3, 7}},
       "lod must be of offsets that end at 6 (rows), got level 1 that ends at "
       "7"},
  };
  for (const InvalidCase& c : cases) {
    EXPECT_THAT(Validate(LoD{c.offsets}, 6),
                StatusIs(absl::StatusCode::kInvalidArgument, c.message));
  }
}

TEST(LodTest, ALevelOverAnEmptyNextLevelIsAnError) {
  EXPECT_THAT(Validate(LoD{{{0, 0}, {}}}, 0),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(LodTest, LengthsRoundTrip) {
  const Levels lengths = {{2, 1}, {2, 1, 3}};
  const absl::StatusOr<LoD> lod = LodFromLengths(lengths, 6);
  ASSERT_THAT(lod, IsOk());
  EXPECT_EQ(lod->offsets, (Levels{{0, 2, 3}, {0, 2, 3, 6}}));
  EXPECT_EQ(SequenceLengths(*lod), lengths);
}

TEST(LodTest, LengthsAreChecked) {
  EXPECT_THAT(LodFromLengths(Levels{{2, -1, 5}}, 6),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "lod must be of offsets that never decrease, got level "
                       "0 with 1 after 2"));
  EXPECT_THAT(LodFromLengths(Levels{{INT64_MAX, 1}}, 6),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "lod must be of lengths whose sum is below 2^63, got "
                       "1"));
}

}  // namespace
}  // namespace switchyard
