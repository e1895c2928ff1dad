// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/policy_text.h"

#include <gtest/gtest.h>

#include <string>

#include "framework/testing/matchers.h"

namespace switchyard::phi::selection {
namespace {

using ::testing::HasSubstr;

TEST(PolicyText, ReadsBackWhatItPrints) {
  for (const char* text :
       {"default", "form=fluid", "form=phi,backend=cpu,backend=onednn",
        "backend=reference", "fallback,strict", "thread_variant,no_transforms",
        "form=fluid,backend=gpu,fallback,strict,thread_variant,no_"
        "transforms"}) {
    const auto policy = ParsePolicy(text);
    ASSERT_THAT(policy, IsOk()) << text;
    EXPECT_EQ(ToString(*policy), text);
  }
}

TEST(PolicyText, EachWordSetsItsField) {
  const Policy policy = *ParsePolicy("form=fluid,backend=cpu,fallback,strict");
  EXPECT_EQ(policy.form, Form::kFluid);
  EXPECT_EQ(policy.backends, Policy::Bit(Backend::kCpu));
  EXPECT_TRUE(policy.allow_fallback);
  EXPECT_TRUE(policy.strict);
  EXPECT_FALSE(policy.allow_thread_variant);
  EXPECT_TRUE(policy.allow_transforms);
}

TEST(PolicyText, RefusesOtherWords) {
  for (const char* text :
       {"", "fast", "form=", "form=fluid,", "backend=tpu", "fallback strict"}) {
    EXPECT_THAT(ParsePolicy(text),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("policy must be form=phi|fluid")))
        << text;
  }
}

TEST(Policy, TransformsAreSelectedWithoutTransformsFromAnyForm) {
  Policy policy = Policy::ReferenceOnly();
  policy.form = Form::kFluid;
  policy.allow_fallback = true;
  const Policy transforms = policy.WithoutTransforms();
  EXPECT_FALSE(transforms.allow_transforms);
  EXPECT_FALSE(transforms.form.has_value());
  EXPECT_TRUE(transforms.allow_fallback);
  EXPECT_NE(transforms.backends & Policy::Bit(Backend::kCpu), 0u);
  EXPECT_NE(transforms.backends & Policy::Bit(Backend::kReference), 0u);
}

}  // namespace
}  // namespace switchyard::phi::selection
