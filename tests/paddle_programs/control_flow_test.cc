// SPDX-License-Identifier: Apache-2.0
// Loops and branches of old programs, run: what their blocks write for others,
// and what variables hold that no block wrote.
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "phi/core/kernel_tables.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/program/executable.h"
#include "static_graph/translate/testing.h"
#include "static_graph/translate/translator.h"

namespace switchyard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Feeds = std::vector<static_graph::Feed>;

class ControlFlowTest : public ::testing::Test {
 protected:
  static absl::StatusOr<std::vector<DenseTensor>> Run(
      const translate::ProgramDesc& desc, const Feeds& feeds) {
    static_graph::ir::Context context;
    SY_RETURN_IF_ERROR(static_graph::RegisterDialects(
        &context, static_graph::AllDialectOps()));
    SY_ASSIGN_OR_RETURN(const static_graph::TranslatedProgram translated,
                        static_graph::TranslateProgram(desc, "main", &context));
    SY_ASSIGN_OR_RETURN(const auto program,
                        static_graph::Executable::Compile(
                            translated.program, phi::KernelTables::Current()));
    std::vector<DenseTensor> results;
    SY_ASSIGN_OR_RETURN(const auto fetches, program->Run(feeds));
    for (const static_graph::Fetch& fetch : fetches) {
      results.push_back(fetch.tensor);
    }
    return results;
  }

  const DenseTensor x_ = MakeTensor<float>({1, 2}, {3, 5});
};

TEST_F(ControlFlowTest, ALoopRunsAnyNumberOfTimes) {
  for (const int64_t n : {0, 1, 3}) {
    const auto results = Run(translate::LoopProgram(),
                             {{"x", x_}, {"n", MakeTensor<int64_t>({1}, {n})}});
    ASSERT_THAT(results, IsOk());
    const float factor = static_cast<float>(1 << n);
    EXPECT_THAT(ToVector<float>((*results)[0]),
                ElementsAre(3 * factor, 5 * factor));
    EXPECT_THAT(ToVector<int64_t>((*results)[1]), ElementsAre(n));
    if (n == 0) {
      EXPECT_EQ((*results)[2].shape(), Shape({0, 2}));
    } else {
      EXPECT_EQ(ToVector<float>((*results)[2]), ToVector<float>((*results)[0]));
    }
  }
}

TEST_F(ControlFlowTest, ABranchKeepsWhatItDoesNotWrite) {
  for (const bool flag : {false, true}) {
    const auto results =
        Run(translate::BranchProgram(),
            {{"x", x_}, {"flag", MakeTensor<bool>({1}, {flag})}});
    ASSERT_THAT(results, IsOk());
    const std::vector<float> kept = ToVector<float>((*results)[0]);
    const std::vector<float> chosen = ToVector<float>((*results)[1]);
    const std::vector<float> made = ToVector<float>((*results)[2]);
    if (flag) {
      EXPECT_THAT(kept, ElementsAre(9, 15));
      EXPECT_THAT(chosen, ElementsAre(6, 10));
      EXPECT_EQ(made, chosen);
    } else {
      EXPECT_THAT(kept, ElementsAre(3, 5));
      EXPECT_THAT(chosen, ElementsAre(-3, -5));
      EXPECT_THAT(made, IsEmpty());
    }
  }
}

// squeeze2 of an axis whose extent only the run tells.
TEST_F(ControlFlowTest, Item9AnAxisThatIsSqueezedMustTurnOutToBeOne) {
  translate::ProgramDesc desc = translate::SmallProgram();
  translate::BlockDesc* block = desc.mutable_blocks(0);
  block->mutable_ops()->DeleteSubrange(1, block->ops_size() - 1);
  block->mutable_vars()->DeleteSubrange(3, 2);  // The weights.
  translate::AddVariable(block, "flat", {2});
  translate::OpDesc* squeeze = translate::AddOperator(
      block, "squeeze2", {{"X", "image"}}, {{"Out", "flat"}});
  translate::OpDesc::Attr* axes = squeeze->add_attrs();
  axes->set_name("axes");
  axes->set_type(static_cast<int>(static_graph::AttributeKind::kInts));
  axes->add_ints(0);
  const auto results = Run(desc, {{"image", x_}});
  ASSERT_THAT(results, IsOk());
  EXPECT_EQ((*results)[0].shape(), Shape({2}));
  EXPECT_THAT(Run(desc, {{"image", MakeTensor<float>({2, 2}, {1, 2, 3, 4})}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("as the program says")));
}

}  // namespace
}  // namespace switchyard
