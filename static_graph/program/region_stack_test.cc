// SPDX-License-Identifier: Apache-2.0
#include "static_graph/program/region_stack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/testing/matchers.h"

namespace switchyard::static_graph {
namespace {

using ::testing::HasSubstr;
using Role = RegionStack::Role;

constexpr auto kFailedPrecondition = absl::StatusCode::kFailedPrecondition;
constexpr auto kInvalidArgument = absl::StatusCode::kInvalidArgument;
constexpr auto kUnimplemented = absl::StatusCode::kUnimplemented;

TEST(RegionStackTest, GivesEachRegionANumberOfItsOwn) {
  RegionStack regions;
  EXPECT_EQ(regions.current(), 0);
  EXPECT_TRUE(regions.outermost());
  regions.Enter(Role::kBranchOrBody);
  const int64_t first = regions.current();
  EXPECT_FALSE(regions.outermost());
  regions.Leave();
  EXPECT_EQ(regions.current(), 0);
  regions.Enter(Role::kBranchOrBody);
  EXPECT_NE(regions.current(), first);
  EXPECT_NE(regions.current(), 0);
}

TEST(RegionStackTest, SeesValuesFromHereAndAround) {
  RegionStack regions;
  regions.Enter(Role::kBranchOrBody);
  const int64_t outer = regions.current();
  regions.Enter(Role::kBranchOrBody);
  const int64_t inner = regions.current();
  EXPECT_THAT(regions.CheckVisible("x", 0), IsOk());
  EXPECT_THAT(regions.CheckVisible("x", outer), IsOk());
  EXPECT_THAT(regions.CheckVisible("x", inner), IsOk());
  regions.Leave();
  EXPECT_THAT(regions.CheckVisible("x", outer), IsOk());
  EXPECT_THAT(regions.CheckVisible("x", inner),
              StatusIs(kInvalidArgument, HasSubstr("x must be")));
}

TEST(RegionStackTest, RefusesWhatIsForThePlaceOutsideOfRegions) {
  RegionStack regions;
  EXPECT_THAT(regions.CheckOutermost("fetch"), IsOk());
  regions.Enter(Role::kBranchOrBody);
  EXPECT_THAT(regions.CheckOpen("fetch"), IsOk());
  EXPECT_THAT(regions.CheckOutermost("fetch"),
              StatusIs(kFailedPrecondition, HasSubstr("fetch: ")));
}

TEST(RegionStackTest, RefusesDrawsInAllThatAConditionOrAGradientRuleHolds) {
  RegionStack regions;
  regions.Enter(Role::kBranchOrBody);
  EXPECT_THAT(regions.CheckDraws("uniform"), IsOk());
  regions.Enter(Role::kCondition);
  regions.Enter(Role::kBranchOrBody);
  EXPECT_THAT(regions.CheckDraws("uniform"),
              StatusIs(kUnimplemented, HasSubstr("condition of while_loop")));
  regions.Leave();
  regions.Leave();
  EXPECT_THAT(regions.CheckDraws("uniform"), IsOk());
  regions.Enter(Role::kGradientRule);
  regions.Enter(Role::kBranchOrBody);
  EXPECT_THAT(regions.CheckDraws("uniform"),
              StatusIs(kUnimplemented, HasSubstr("backward of a Function")));
}

TEST(RegionStackTest, ClosesAFinishedProgramButKeepsItsValuesVisible) {
  RegionStack regions;
  regions.Finish();
  EXPECT_THAT(regions.CheckOpen("feed"),
              StatusIs(kFailedPrecondition, HasSubstr("feed: ")));
  EXPECT_THAT(regions.CheckOutermost("feed"),
              StatusIs(kFailedPrecondition, HasSubstr("finished")));
  EXPECT_THAT(regions.CheckVisible("x", 0), IsOk());
}

}  // namespace
}  // namespace switchyard::static_graph
