// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/op_upgrades.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/testing/matchers.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/dialect/testing/toy_operators.h"
#include "static_graph/ir/parser.h"
#include "static_graph/ir/printer.h"

namespace switchyard::static_graph {
namespace {

using ::testing::HasSubstr;
using testing::ToyOp;

// Today's `fork` has the outputs `a` and `b`; the second came with version 3,
// and `bias` got its optional input with version 2.
constexpr OpUpgrade kForkUpgrades[] = {{3, OpUpgrade::Kind::kAddOutput, "b"}};
constexpr OpUpgrade kBiasUpgrades[] = {{2, OpUpgrade::Kind::kAddInput, "b"}};

class OpUpgradesTest : public ::testing::Test {
 protected:
  OpUpgradesTest() {
    fork_info_.version = 3;
    fork_.info = &fork_info_;
    fork_.upgrades = kForkUpgrades;
    bias_info_.version = 2;
    bias_.info = &bias_info_;
    bias_.upgrades = kBiasUpgrades;
    EXPECT_THAT(RegisterDialects(&context_, {&fork_, &bias_}), IsOk());
  }

  std::string Upgraded(std::string_view text,
                       const OperatorVersions& versions) {
    absl::StatusOr<ir::Program> program = ir::Parse(&context_, text);
    EXPECT_THAT(program, IsOk());
    EXPECT_THAT(CheckUpgrades(context_, versions), IsOk());
    UpgradeOperators(versions, &*program);
    return ir::Print(*program);
  }

  phi::OpInfo fork_info_ = *ToyOp("fork").info;
  phi::OpInfo bias_info_ = *ToyOp("bias").info;
  DialectOp fork_ = ToyOp("fork");
  DialectOp bias_ = ToyOp("bias");
  ir::Context context_;
};

constexpr char kProgram[] = R"(program @p {
  ^entry(%x: feed "x" tensor<float32[2]>):
    %0 = op.fork(%x) : tensor<float32[2]>
    %1 = op.bias(%0) : tensor<float32[2]>
    builtin.return("out" = %1)
}
)";

TEST_F(OpUpgradesTest, AddsAbsentArgumentsAndOutputs) {
  const std::string text = Upgraded(kProgram, {{"fork", 2}, {"bias", 1}});
  EXPECT_THAT(text, HasSubstr("op.fork(%x) {result_segments = int32[1, 0]}"));
  EXPECT_THAT(text, HasSubstr("op.bias(%0) {operand_segments = int32[1, 0]}"));
}

TEST_F(OpUpgradesTest, LeavesWhatIsThereOrOfTodaysVersion) {
  constexpr char kBoth[] = R"(program @p {
  ^entry(%x: feed "x" tensor<float32[2]>):
    %0 = op.bias(%x, %x) {operand_segments = int32[1, 1]} : tensor<float32[2]>
    %1 = op.bias(%x, %x) : tensor<float32[2]>
    builtin.return("out" = %1)
}
)";
  EXPECT_EQ(Upgraded(kBoth, {{"bias", 1}}), kBoth);
  EXPECT_EQ(Upgraded(kProgram, {{"fork", 3}, {"bias", 2}}), kProgram);
  EXPECT_EQ(Upgraded(kProgram, {}), kProgram);
}

TEST_F(OpUpgradesTest, KnowsWhatAProgramHas) {
  const auto program = ir::Parse(&context_, kProgram);
  ASSERT_THAT(program, IsOk());
  EXPECT_EQ(VersionsOf(*program), (OperatorVersions{{"fork", 3}, {"bias", 2}}));
}

TEST_F(OpUpgradesTest, NamesVersionsThatNoRuleLeadsFrom) {
  EXPECT_THAT(CheckUpgrades(context_, {{"fork", 1}}),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "fork: the program has version 1 of the operator, this "
                       "image version 3 and no rules to upgrade it"));
  EXPECT_THAT(CheckUpgrades(context_, {{"bias", 3}}),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "bias: the program has version 3 of the operator, this "
                       "image version 2, which is older"));
  EXPECT_THAT(CheckUpgrades(context_, {{"gone", 1}}),
              StatusIs(absl::StatusCode::kNotFound,
                       "saved program: the operator gone is not registered"));
}

}  // namespace
}  // namespace switchyard::static_graph
