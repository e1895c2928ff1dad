// SPDX-License-Identifier: Apache-2.0
#include "tools/explain/explain_command.h"

#include <string>
#include <vector>

#include "framework/testing/matchers.h"
#include "phi/selection/testing/fake_ops.h"

namespace switchyard::phi::selection {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<ExplainReport> Explain(const std::vector<std::string>& words) {
  const std::vector<const OpInfo*> operators = {
      FindFakeOp("add"), FindFakeOp("full"), FindFakeOp("softmax")};
  SY_ASSIGN_OR_RETURN(const ExplainRequest request,
                      ParseExplainArguments(words, FakeTable()));
  return RunExplain(request, operators, FakeTable());
}

TEST(ExplainCommand, ExplainsACall) {
  const auto report = Explain({"softmax", "--place", "cpu", "--input",
                               "x=float32[2,3]", "--attr", "axis=-1"});
  ASSERT_THAT(report, IsOk());
  EXPECT_TRUE(report->fits);
  EXPECT_THAT(report->text,
              HasSubstr("softmax float32[2, 3] axis=-1 on cpu\n"));
  EXPECT_THAT(report->text,
              HasSubstr("refused: numel(x[0]) must be at least 512, got 3\n"));
  EXPECT_THAT(report->text,
              HasSubstr("chosen: cpu float32 (cpu/softmax.cc:10)\n"));
}

TEST(ExplainCommand, TakesOptionsInBothSpellingsAndAnyOrder) {
  const auto report = Explain({"--json", "--policy=backend=reference",
                               "--input=x=float32[2]", "softmax"});
  ASSERT_THAT(report, IsOk());
  EXPECT_THAT(report->text, HasSubstr("\"policy\": \"backend=reference\""));
  EXPECT_THAT(report->text, HasSubstr("\"file\": \"reference/softmax.cc\""));
}

TEST(ExplainCommand, NothingThatFitsIsAReport) {
  const auto report = Explain({"add", "--place", "gpu", "--input",
                               "x=float32[2]", "--input", "y=float32[2]"});
  ASSERT_THAT(report, IsOk());
  EXPECT_FALSE(report->fits);
  EXPECT_THAT(report->text, HasSubstr("chosen: none\nerror: add: no kernel"));
}

TEST(ExplainCommand, PromotesAsARealCallDoes) {
  const auto report = Explain(
      {"add", "--input", "x=bfloat16[2] strided", "--input", "y=float32[2]"});
  ASSERT_THAT(report, IsOk());
  EXPECT_THAT(report->text, HasSubstr("add float32[2], float32[2] on cpu\n"));
  EXPECT_THAT(report->text, HasSubstr("promoted: inputs of other dtypes are "
                                      "cast to float32\n"));
  EXPECT_THAT(
      Explain({"add", "--input", "x=int32[2]", "--input", "y=float32[2]"}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("add: y must be int32 as x, got float32")));
}

TEST(ExplainCommand, MistakesAreNamed) {
  const auto expect = [](const std::vector<std::string>& words,
                         const std::string& message) {
    EXPECT_THAT(Explain(words), StatusIs(absl::StatusCode::kInvalidArgument,
                                         HasSubstr(message)));
  };
  expect({"--json"}, "operator must be given, got none");
  expect({"softmax", "add"}, "operator must be given once, got 'add' too");
  expect({"softmax", "axis=0"},
         "attributes must be given by --attr axis=0, got 'axis=0' alone");
  expect({"sofmax"},
         "operator must be one of the 3 that ./sy ops lists, got "
         "'sofmax'; did you mean 'softmax'?");
  expect({"convolution"}, "that ./sy ops lists, got 'convolution'");
  expect({"softmax"}, "softmax: x must be given, got none");
  expect({"softmax", "--input"},
         "--input must be an option that is followed by a value");
  expect({"softmax", "--inputs", "x"}, "option must be --input, --attr,");
  expect({"softmax", "--place", "tpu"}, "--place must be cpu or gpu:<index>");
  expect({"softmax", "--policy", "fast"}, "policy must be origin=phi|fluid");
  expect({"softmax", "--input", "x=float32[2]", "--attr", "axis=x"},
         "softmax: axis must be of type int, got 'x'");
}

TEST(ExplainCommand, HelpNeedsNothingElse) {
  EXPECT_TRUE(ParseExplainArguments({"--help"}, FakeTable())->help);
  EXPECT_TRUE(ParseExplainArguments({}, FakeTable())->help);
  EXPECT_THAT(std::string(ExplainUsage()), HasSubstr("usage: ./sy explain"));
}

}  // namespace
}  // namespace switchyard::phi::selection
