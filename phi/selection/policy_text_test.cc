// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/policy_text.h"

#include <gtest/gtest.h>

#include <string>

#include "framework/testing/matchers.h"
#include "phi/core/testing/fake_backends.h"
#include "phi/selection/testing/fake_ops.h"

namespace switchyard::phi::selection {
namespace {

using ::testing::HasSubstr;

TEST(PolicyText, ReadsBackWhatItPrints) {
  for (const char* text :
       {"default", "origin=fluid", "origin=phi,backend=cpu,backend=onednn",
        "backend=reference", "fallback,strict", "thread_variant,no_transforms",
        "origin=fluid,backend=gpu,fallback,strict,thread_variant,no_"
        "transforms",
        "on=onednn:matmul+softmax,off=onednn:add", "on=cpu:,on=gpu:softmax",
        "strict,off=onednn:softmax,library=onednn,declined=gpudnn",
        "prefer=legacy", "prefer=composed+cpu",
        "backend=reference,prefer=reference+legacy+phi+cpu"}) {
    const auto policy = ParsePolicy(text, FakeTable());
    ASSERT_THAT(policy, IsOk()) << text;
    EXPECT_EQ(ToString(*policy), text);
  }
}

TEST(PolicyText, EachWordSetsItsField) {
  const Policy policy =
      *ParsePolicy("origin=fluid,backend=cpu,fallback,strict", FakeTable());
  EXPECT_EQ(policy.origin, KernelOrigin::kFluid);
  EXPECT_EQ(policy.backends, BackendSet({&fake_cpu}));
  EXPECT_TRUE(policy.allow_fallback);
  EXPECT_TRUE(policy.strict);
  EXPECT_FALSE(policy.allow_thread_variant);
  EXPECT_TRUE(policy.allow_transforms);
}

TEST(PolicyText, RefusesOtherWords) {
  for (const char* text :
       {"", "fast", "origin=", "origin=fluid,", "fallback strict"}) {
    EXPECT_THAT(ParsePolicy(text, FakeTable()),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("policy must be origin=phi|fluid")))
        << text;
  }
}

TEST(PolicyText, BackendsAreThoseOfTheTable) {
  for (const char* text :
       {"backend=tpu", "backend=", "backend=cpu,backend=x"}) {
    EXPECT_THAT(ParsePolicy(text, FakeTable()),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("policy: backend must be default, "
                                   "reference, cpu, onednn, gpu or gpudnn, "
                                   "got ")))
        << text;
  }
  EXPECT_THAT(ParsePolicy("backend=cpu", KernelTable()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("must be default, got 'cpu'")));
}

TEST(PolicyText, ListsAreOneObjectAndNameOperatorsOfTheTable) {
  const Policy policy = *ParsePolicy("off=onednn:softmax+add", FakeTable());
  EXPECT_EQ(policy,
            *ParsePolicy("off=onednn:add,off=onednn:softmax", FakeTable()));
  EXPECT_FALSE(policy == *ParsePolicy("off=onednn:add", FakeTable()));
  EXPECT_EQ(policy.WithoutTransforms().lists, nullptr);
  for (const auto& [text, error] :
       {std::pair("off=onednn:sofmax",
                  "policy: off must be of operators with kernels, got "
                  "'sofmax'"),
        std::pair("on=onednn:add+", "got ''"),
        std::pair("on=tpu:add", "policy: on must be default, reference"),
        std::pair("on=default:add", "policy: on must be for one backend"),
        std::pair("library=tpu", "policy: library must be default, ref"),
        std::pair("declined=", "policy: declined must be default, ref")}) {
    EXPECT_THAT(ParsePolicy(text, FakeTable()),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(error)))
        << text;
  }
}

TEST(PolicyText, WhatIsDecomposedIsKeptOffEveryBackend) {
  const KernelTable table = FakeTable();
  const Policy policy = *ParsePolicy("decompose=softmax", table);
  for (const BackendInfo* backend : table.backends()) {
    const OperatorList* const list = policy.lists->Find(*backend);
    ASSERT_NE(list, nullptr) << backend->name;
    EXPECT_FALSE(list->Admits("softmax"));
    EXPECT_TRUE(list->Admits("add"));
  }
  EXPECT_EQ(policy, *ParsePolicy(ToString(policy), table));
  // The first has no kernel, the second no composite.
  for (const char* const op : {"gelu", "add"}) {
    EXPECT_THAT(ParsePolicy("decompose=" + std::string(op), table),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("policy: decompose must be of operators "
                                   "with kernels and a composite, got '" +
                                   std::string(op) + "'")));
  }
}

TEST(PolicyText, PreferencesAreOneObjectAndNameBackendsOrOrigins) {
  const Policy policy = *ParsePolicy("prefer=legacy+onednn", FakeTable());
  EXPECT_EQ(policy, *ParsePolicy("prefer=legacy+onednn+legacy", FakeTable()));
  EXPECT_FALSE(policy == *ParsePolicy("prefer=onednn+legacy", FakeTable()));
  EXPECT_EQ(policy.WithoutTransforms().prefer, nullptr);
  EXPECT_EQ(*ParsePreferences({}, FakeTable()), nullptr);
  for (const char* text :
       {"prefer=", "prefer=tpu", "prefer=legacy+", "prefer=fluid"}) {
    EXPECT_THAT(
        ParsePolicy(text, FakeTable()),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 HasSubstr("policy: prefer must be composed, phi, legacy, "
                           "reference, cpu, onednn, gpu or gpudnn, "
                           "got '")))
        << text;
  }
}

TEST(PolicyText, DefaultStandsForWhatIsAdmittedWithoutNames) {
  const Policy policy =
      *ParsePolicy("backend=reference,backend=default", FakeTable());
  EXPECT_TRUE(policy.backends.contains(fake_reference));
  EXPECT_TRUE(policy.backends.contains(fake_cpu));
  EXPECT_EQ(ToString(policy), "backend=default,backend=reference");
}

TEST(Policy, TransformsAreSelectedWithoutTransformsFromAnyForm) {
  Policy policy = Policy::Only(fake_reference);
  policy.origin = KernelOrigin::kFluid;
  policy.allow_fallback = true;
  const Policy transforms = policy.WithoutTransforms();
  EXPECT_FALSE(transforms.allow_transforms);
  EXPECT_FALSE(transforms.origin.has_value());
  EXPECT_TRUE(transforms.allow_fallback);
  EXPECT_TRUE(transforms.backends.contains(fake_cpu));
  EXPECT_TRUE(transforms.backends.contains(fake_reference));
}

}  // namespace
}  // namespace switchyard::phi::selection
