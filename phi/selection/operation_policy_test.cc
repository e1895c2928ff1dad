// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/operation_policy.h"

#include <gtest/gtest.h>

#include <string>

#include "framework/testing/matchers.h"
#include "phi/core/testing/fake_backends.h"
#include "phi/selection/policy_text.h"
#include "phi/selection/testing/fake_ops.h"

namespace switchyard::phi::selection {
namespace {

using ::testing::HasSubstr;

OperationPolicy Parsed(const char* text) {
  return *ParseOperationPolicy(text, FakeTable());
}

// The policy that holds for an operation, as text.
std::string Holding(const char* policy, const char* operation) {
  return ToString(Merged(*ParsePolicy(policy, FakeTable()), Parsed(operation)));
}

TEST(OperationPolicy, ReadsBackWhatItPrints) {
  for (const char* text :
       {"default", "backend=cpu,backend=onednn", "backend=reference,origin=phi",
        "prefer=legacy+cpu,strict", "library=onednn,declined=gpudnn",
        "declined=onednn,no_fallback", "no_fallback"}) {
    const auto operation = ParseOperationPolicy(text, FakeTable());
    ASSERT_THAT(operation, IsOk()) << text;
    EXPECT_EQ(ToString(*operation), text);
    EXPECT_EQ(*operation == OperationPolicy(), std::string(text) == "default");
  }
}

TEST(OperationPolicy, RefusesOtherWordsAndNames) {
  for (const char* text : {"", "fallback", "thread_variant", "strict=1",
                           "off=onednn:softmax", "no_fallback,"}) {
    EXPECT_THAT(ParseOperationPolicy(text, FakeTable()),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("policy must be origin=phi|fluid")))
        << text;
  }
  EXPECT_THAT(ParseOperationPolicy("declined=tpu", FakeTable()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("policy: declined must be default, ref")));
}

TEST(OperationPolicy, AdmitsNoMoreThanThePolicyAround) {
  EXPECT_EQ(Holding("default", "default"), "default");
  EXPECT_EQ(Holding("default", "backend=cpu,backend=reference"), "backend=cpu");
  EXPECT_EQ(Holding("backend=reference", "backend=default"), "backend=none");
  EXPECT_EQ(Holding("backend=reference", "declined=onednn"),
            "backend=reference,declined=onednn");
  EXPECT_EQ(Holding("default", "origin=fluid"), "origin=fluid");
  EXPECT_EQ(Holding("origin=fluid", "origin=fluid"), "origin=fluid");
  EXPECT_EQ(Holding("origin=fluid", "origin=phi"), "origin=fluid,backend=none");
  EXPECT_EQ(Holding("off=onednn:softmax", "library=onednn"),
            "off=onednn:softmax,library=onednn");
}

TEST(OperationPolicy, ItsPreferencesComeFirst) {
  EXPECT_EQ(Holding("prefer=cpu+legacy", "prefer=legacy+onednn"),
            "prefer=legacy+onednn+cpu");
  EXPECT_EQ(Holding("prefer=cpu", "strict"), "prefer=cpu,strict");
}

TEST(OperationPolicy, StrictByOrAndFallbackByAnd) {
  EXPECT_EQ(Holding("fallback", "strict"), "fallback,strict");
  EXPECT_EQ(Holding("fallback,strict", "default"), "fallback,strict");
  EXPECT_EQ(Holding("fallback", "no_fallback"), "default");
  EXPECT_EQ(Holding("default", "no_fallback"), "default");
}

TEST(OperationPolicy, TwoBecomeTheOneOfAFusion) {
  const auto both = [](const char* first, const char* second) {
    return ToString(Merged(Parsed(first), Parsed(second)));
  };
  EXPECT_EQ(both("library=onednn", "default"), "library=onednn");
  EXPECT_EQ(both("library=onednn", "declined=onednn,no_fallback"),
            "library=onednn,declined=onednn,no_fallback");
  EXPECT_EQ(both("backend=cpu,backend=onednn", "backend=cpu"), "backend=cpu");
  EXPECT_EQ(both("prefer=cpu", "prefer=legacy,strict"),
            "prefer=cpu+legacy,strict");
  EXPECT_FALSE(Merged(Parsed("origin=phi"), Parsed("origin=fluid"))
                   .backends->contains(fake_cpu));
}

}  // namespace
}  // namespace switchyard::phi::selection
