// SPDX-License-Identifier: Apache-2.0
// A bounded part of each campaign (campaign.h), and that a number makes the
// same case every time.
#include "tests/faults/campaign.h"

#include <gtest/gtest.h>

#include <set>

namespace switchyard {
namespace {

constexpr char kFolder[] = "tests/samples";

class CampaignTest : public ::testing::TestWithParam<CampaignKind> {};

TEST_P(CampaignTest, FindsNothing) {
  const Campaign campaign(GetParam(), kFolder, /*seed=*/7);
  // A program takes as long as many calls.
  const int64_t count = GetParam() == CampaignKind::kPrograms ? 3000 : 20000;
  for (const Finding& finding : campaign.Run(0, count, CaseLimits())) {
    ADD_FAILURE() << finding.index << ": " << finding.text << "\n"
                  << campaign.Describe(finding.index);
  }
}

TEST_P(CampaignTest, MakesTheSameCaseOfANumber) {
  const Campaign campaign(GetParam(), kFolder, /*seed=*/7);
  const Campaign again(GetParam(), kFolder, /*seed=*/7);
  const Campaign other(GetParam(), kFolder, /*seed=*/8);
  std::set<std::string> texts;
  int differ = 0;
  for (int64_t index = 0; index < 100; ++index) {
    EXPECT_EQ(campaign.Describe(index), again.Describe(index));
    differ += campaign.Describe(index) != other.Describe(index);
    texts.insert(campaign.Describe(index));
  }
  EXPECT_GT(differ, 90);
  EXPECT_GT(texts.size(), 90u);
}

INSTANTIATE_TEST_SUITE_P(Campaigns, CampaignTest,
                         ::testing::Values(CampaignKind::kCalls,
                                           CampaignKind::kLegacy,
                                           CampaignKind::kPrograms));

}  // namespace
}  // namespace switchyard
