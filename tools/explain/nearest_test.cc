// SPDX-License-Identifier: Apache-2.0
#include "tools/explain/nearest.h"

#include "gtest/gtest.h"

namespace switchyard::phi::selection {
namespace {

constexpr std::string_view kNames[] = {"add", "all", "log_softmax", "matmul",
                                       "softmax"};

TEST(NearestName, FindsOneEditAway) {
  EXPECT_EQ(NearestName("softmx", kNames), "softmax");    // deleted
  EXPECT_EQ(NearestName("sofftmax", kNames), "softmax");  // inserted
  EXPECT_EQ(NearestName("softmux", kNames), "softmax");   // substituted
  EXPECT_EQ(NearestName("matmlu", kNames), "matmul");     // exchanged
}

TEST(NearestName, TakesTheNearestAndOfTwoTheFirst) {
  EXPECT_EQ(NearestName("logsoftmax", kNames), "log_softmax");
  EXPECT_EQ(NearestName("ald", kNames), "add");
}

TEST(NearestName, SaysNothingOfWhatIsFar) {
  EXPECT_EQ(NearestName("convolution", kNames), "");
  EXPECT_EQ(NearestName("xyz", kNames), "");
  EXPECT_EQ(NearestName("", kNames), "");
  EXPECT_EQ(NearestName("add", {}), "");
}

}  // namespace
}  // namespace switchyard::phi::selection
