// SPDX-License-Identifier: Apache-2.0
#include "static_graph/lowering/arithmetic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/device/cpu/cpu_features.h"
#include "framework/testing/matchers.h"

namespace switchyard::static_graph {
namespace {

TEST(ArithmeticTest, EmulationIsEverywhere) {
  RelaxedChoices choices;
  EXPECT_FALSE(IsBfloat16(choices.precision));
  EXPECT_THAT(CheckArithmetic(choices, Place::Cpu()), IsOk());
  choices.precision = Precision::kBfloat16Emulated;
  EXPECT_TRUE(IsBfloat16(choices.precision));
  EXPECT_THAT(CheckArithmetic(choices, Place::Cpu()), IsOk());
}

TEST(ArithmeticTest, ACpuWithoutBfloat16RefusesIt) {
  RelaxedChoices choices;
  choices.precision = Precision::kBfloat16;
  EXPECT_TRUE(IsBfloat16(choices.precision));
  const absl::Status checked = CheckArithmetic(choices, Place::Cpu());
  if (HasAvx512Bf16()) {
    EXPECT_THAT(checked, IsOk());
    return;
  }
  EXPECT_THAT(
      checked,
      StatusIs(absl::StatusCode::kInvalidArgument,
               "relaxed: precision must be exact, int8 or bfloat16_emulated on "
               "a CPU without the instructions AVX-512 BF16 (avx512_bf16), as "
               "this one, got 'bfloat16'"));
}

}  // namespace
}  // namespace switchyard::static_graph
