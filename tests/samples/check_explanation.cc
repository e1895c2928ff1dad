// SPDX-License-Identifier: Apache-2.0
#include "tests/samples/check_explanation.h"

#include <string>

#include "absl/strings/match.h"
#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace switchyard {

using phi::selection::Explanation;

void CheckExplanation(const Explanation& explanation) {
  EXPECT_THAT(explanation.answer, IsOk());
  const std::string text = ToText(explanation);
  EXPECT_EQ(text.back(), '\n');
  EXPECT_EQ(absl::StrContains(text, "no kernels of its own"),
            explanation.composed);
  const auto json = nlohmann::json::parse(ToJson(explanation));
  EXPECT_EQ(json["op"], explanation.query.op->name);
  EXPECT_EQ(json["calls"].size(), explanation.calls.size());
  if (explanation.composed) {
    for (const Explanation& call : explanation.calls) CheckExplanation(call);
  } else {
    EXPECT_FALSE(explanation.candidates.empty());
    EXPECT_TRUE(explanation.answer->kernel != nullptr ||
                !explanation.answer->residual.empty());
  }
}

}  // namespace switchyard
