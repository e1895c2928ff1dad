// SPDX-License-Identifier: Apache-2.0
// Every operator of the real table, forward and backward, with kernels and made
// of others, is explained: for each sample as it is, with strided tensors and
// with extents that are not known. Whether it says what runs is shown by
// the tests that run the samples.
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "framework/testing/matchers.h"
#include "phi/core/kernel_tables.h"
#include "phi/core/signatures/every_operator.h"
#include "tests/samples/backward_calls.h"
#include "tests/samples/check_explanation.h"
#include "tests/samples/dialect_ops.h"
#include "tests/samples/sample_calls.h"
#include "tools/explain/explained_call.h"

namespace switchyard {
namespace {

using phi::OpInfo;
using phi::selection::ExplainedCall;
using phi::selection::ParsedCall;

using Words = std::vector<std::string>;

absl::StatusOr<std::unique_ptr<const ExplainedCall>> Explained(
    const OpInfo& op, const Words& inputs, const Words& attrs) {
  auto call = phi::selection::ParseCall(op, inputs, attrs, Place::Cpu());
  if (!call.ok()) return Annotate(call.status(), op.name);
  ExplainedCall::Options options{
      &phi::KernelTables::Current(), {}, Place::Cpu()};
  options.context = &EveryOperatorContext();
  return ExplainedCall::Make(op, *std::move(call), options);
}

void CheckExplained(const OpInfo& op, const Words& inputs, const Words& attrs) {
  SCOPED_TRACE(absl::StrCat(op.name, " ", absl::StrJoin(inputs, " "), " ",
                            absl::StrJoin(attrs, " ")));
  const auto explained = Explained(op, inputs, attrs);
  ASSERT_THAT(explained, IsOk());
  CheckExplanation((*explained)->explanation());
}

// "x=float32[2, 3]" as a tensor that is not contiguous.
Words Strided(const Words& inputs) {
  Words strided;
  for (const std::string& input : inputs) {
    strided.push_back(absl::StrContains(input, "[]") ? input
                                                     : input + " strided");
  }
  return strided;
}

// "x=float32[2, 3]" as "x=float32[?, 3]".
Words Unknown(const Words& inputs) {
  Words unknown;
  for (const std::string& input : inputs) {
    const size_t open = input.find('[') + 1;
    const size_t end = input.find_first_of(",]", open);
    unknown.push_back(input.substr(0, open) + (end > open ? "?" : "") +
                      input.substr(end));
  }
  return unknown;
}

// An operator that only writes in place refuses tensors with gaps, and so does
// its explanation; all others are explained.
void CheckStrided(const OpInfo& op, const Words& inputs, const Words& attrs) {
  const Words strided = Strided(inputs);
  const absl::Status status = Explained(op, strided, attrs).status();
  if (op.has(phi::Trait::kInplaceOnly) && !status.ok()) {
    EXPECT_TRUE(absl::StrContains(status.message(),
                                  "must be contiguous to be written in place"))
        << status;
    return;
  }
  CheckExplained(op, strided, attrs);
}

void CheckCall(const OpInfo& op, const Words& inputs, const Words& attrs) {
  CheckExplained(op, inputs, attrs);
  CheckStrided(op, inputs, attrs);
  // Whether an operator takes unknown extents is its InferMeta's matter: here
  // it may refuse them, but in words.
  const auto unknown = Explained(op, Unknown(inputs), attrs);
  if (unknown.ok()) {
    CheckExplanation((*unknown)->explanation());
  } else {
    EXPECT_TRUE(absl::StartsWith(unknown.status().message(), op.name))
        << unknown.status();
  }
}

// Some gradients exist for some attributes alone; the others are refused.
bool IsUnimplemented(const OpInfo& op, const CallWords& words) {
  const absl::Status status = Explained(op, words.inputs, words.attrs).status();
  return absl::IsUnimplemented(status) &&
         absl::StartsWith(status.message(), op.name);
}

TEST(ExplainSamples, EveryOperatorIsExplained) {
  const auto samples = ReadSampleCalls("tests/samples");
  ASSERT_THAT(samples, IsOk());
  std::set<std::string> explained;
  for (const SampleCall& sample : *samples) {
    if (!sample.valid) continue;
    SCOPED_TRACE(absl::StrCat(sample.op->name, " ", sample.text));
    explained.insert(sample.op->name);
    CheckCall(*sample.op, sample.inputs, sample.attrs);
    const auto call = phi::selection::ParseCall(*sample.op, sample.inputs,
                                                sample.attrs, Place::Cpu());
    ASSERT_THAT(call, IsOk());
    const auto backward = BackwardCalls(*FindDialectRecord(*sample.op), *call);
    ASSERT_THAT(backward, IsOk());
    for (const CallWords& words : *backward) {
      const OpInfo& op = *words.op->info;
      explained.insert(op.name);
      if (!sample.gradient && IsUnimplemented(op, words)) continue;
      CheckCall(op, words.inputs, words.attrs);
    }
  }
  if (OnlyOperators() != nullptr) return;
  for (const OpInfo* op : phi::AllOpInfos()) {
    EXPECT_EQ(explained.count(op->name), 1u) << op->name;
  }
}

TEST(ExplainSamples, InvalidCallsAreRefusedInOneSentence) {
  const auto samples = ReadSampleCalls("tests/samples");
  ASSERT_THAT(samples, IsOk());
  for (const SampleCall& sample : *samples) {
    if (sample.valid) continue;
    SCOPED_TRACE(absl::StrCat(sample.op->name, " ", sample.text));
    const auto explained = Explained(*sample.op, sample.inputs, sample.attrs);
    // A dtype that no kernel has is found by selection, the last of the steps.
    const absl::Status status =
        explained.ok() ? (*explained)->explanation().answer.status()
                       : explained.status();
    if (status.ok()) {  // Only its elements are wrong, which nobody looks at.
      if (!sample.run_by.empty()) continue;  // Or its sequences.
      EXPECT_THAT(sample.words,
                  testing::Contains(testing::AnyOf(
                      testing::HasSubstr("in("), testing::HasSubstr("zero"))));
      continue;
    }
    EXPECT_THAT(std::string(status.message()),
                testing::ContainsRegex(absl::StrCat(
                    "^", sample.op->name, ": .* must be [^\n]*, got [^\n]*$")));
  }
}

}  // namespace
}  // namespace switchyard
