// SPDX-License-Identifier: Apache-2.0
#include "static_graph/lowering/relaxed_choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "framework/testing/matchers.h"

namespace switchyard::static_graph {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(RelaxedChoicesTest, TheDefaultIsExact) {
  EXPECT_EQ(ToString(RelaxedChoices()), "exact");
  EXPECT_THAT(EntriesOf({}),
              ElementsAre(Pair("denormals", "keep"), Pair("precision", "exact"),
                          Pair("fusion", "exact"), Pair("reduction", "tree"),
                          Pair("thread_variant", "refuse")));
}

TEST(RelaxedChoicesTest, ReadsWhatItPrints) {
  for (const char* text :
       {"exact", "denormals=flush", "fusion=relaxed", "precision=bfloat16",
        "precision=bfloat16_emulated,fusion=relaxed",
        "denormals=flush,precision=int8,fusion=relaxed,thread_variant=allow"}) {
    RelaxedChoices choices;
    ASSERT_THAT(ApplyChoices(text, &choices), IsOk());
    EXPECT_EQ(ToString(choices), text);
  }
}

TEST(RelaxedChoicesTest, ChangesWhatIsNamedAlone) {
  RelaxedChoices choices;
  choices.fusion = Fusion::kRelaxed;
  ASSERT_THAT(ApplyChoices("denormals=flush", &choices), IsOk());
  EXPECT_EQ(ToString(choices), "denormals=flush,fusion=relaxed");
  ASSERT_THAT(ApplyChoices("denormals=keep,reduction=tree", &choices), IsOk());
  EXPECT_EQ(ToString(choices), "fusion=relaxed");
  ASSERT_THAT(ApplyChoices("exact,denormals=flush", &choices), IsOk());
  EXPECT_EQ(ToString(choices), "denormals=flush");
}

TEST(RelaxedChoicesTest, RefusesOtherWords) {
  RelaxedChoices choices;
  const auto refuses = [&](const char* text, const char* message) {
    EXPECT_THAT(ApplyChoices(text, &choices),
                StatusIs(absl::StatusCode::kInvalidArgument, message));
    EXPECT_EQ(choices, RelaxedChoices());
  };
  refuses("denormals=drop",
          "relaxed: denormals must be keep or flush, got 'drop'");
  refuses("fusion=relaxed,reduction=library",
          "relaxed: reduction must be tree, got 'library'");
  refuses("fusions=exact",
          "relaxed: the choice must be denormals, precision, fusion, reduction "
          "or thread_variant, got 'fusions'");
  for (const std::string word : {"", "fast", "denormals"}) {
    refuses(("fusion=relaxed," + word).c_str(),
            ("relaxed must be exact, or choices as denormals=flush, got '" +
             word + "'")
                .c_str());
  }
}

}  // namespace
}  // namespace switchyard::static_graph
