// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/feed_check.h"

#include <vector>

#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"

namespace switchyard::static_graph {
namespace {

using testing::HasSubstr;

// A plan of the feeds "x" and "y", both float32[s0, 2].
ProgramPlan Plan() {
  ProgramPlan plan;
  for (const char* const name : {"x", "y"}) {
    ProgramPlan::Port& feed = plan.feeds.emplace_back();
    feed.name = name;
    feed.meta.dtype = DataType::kFloat32;
    feed.meta.shape = Shape({Dim::Symbol(0), Dim(2)});
  }
  return plan;
}

auto Refused(const char* text) {
  return StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(text));
}

TEST(FeedCheck, TakesWhatThePlanSays) {
  const ProgramPlan plan = Plan();
  const FeedCheck check(&plan);
  const DenseTensor x = EmptyTensor(DataType::kFloat32, {3, 2});
  EXPECT_THAT(check.Check({x, x}), IsOk());
  EXPECT_THAT(check.CheckShapes({{3, 2}, {Dim::Unknown(), 2}}), IsOk());
}

TEST(FeedCheck, NamesTheFeedThatDoesNotFit) {
  const ProgramPlan plan = Plan();
  const FeedCheck check(&plan);
  const DenseTensor x = EmptyTensor(DataType::kFloat32, {3, 2});
  EXPECT_THAT(check.Check({x}), Refused("feeds must be 2 tensors, got 1"));
  EXPECT_THAT(check.Check({x, EmptyTensor(DataType::kInt64, {3, 2})}),
              Refused("feed y must be float32[s0, 2], got int64[3, 2]"));
  EXPECT_THAT(check.Check({x, EmptyTensor(DataType::kFloat32, {3, 4})}),
              Refused("feed y must be float32[s0, 2], got float32[3, 4]"));
  EXPECT_THAT(check.Check({DenseTensor(), x}),
              Refused("feed x must be float32[s0, 2], got a tensor without"));
  EXPECT_THAT(check.CheckShapes({{3, 2}}),
              Refused("feeds must be 2 shapes, got 1"));
  EXPECT_THAT(check.CheckShapes({{3, 2}, {3, 3}}),
              Refused("feed y must be [s0, 2], got [3, 3]"));
}

TEST(FeedCheck, WantsEqualExtentsOfOneSymbol) {
  const ProgramPlan plan = Plan();
  const FeedCheck check(&plan);
  EXPECT_THAT(check.Check({EmptyTensor(DataType::kFloat32, {3, 2}),
                           EmptyTensor(DataType::kFloat32, {4, 2})}),
              Refused("feed y must be of extent 3 on axis 0, as s0 "
                      "elsewhere, got 4"));
}

}  // namespace
}  // namespace switchyard::static_graph
