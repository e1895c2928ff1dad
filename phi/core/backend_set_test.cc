// SPDX-License-Identifier: Apache-2.0
#include "phi/core/backend_set.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "framework/device/cpu/cpu_device.h"

namespace switchyard::phi {
namespace {

constexpr BackendInfo kFast = {"fast", &device_cpu, 300, true, nullptr};
constexpr BackendInfo kSlow = {"slow", &device_cpu, 10, true, nullptr};
constexpr BackendInfo kOracle = {"oracle", &device_cpu, 0, false, nullptr};

TEST(BackendSet, TheDefaultHasWhatIsAdmittedByDefault) {
  const BackendSet set;
  EXPECT_TRUE(set.contains(kFast));
  EXPECT_FALSE(set.contains(kOracle));
  EXPECT_EQ(set.ToString(), "default");
  EXPECT_EQ(set, BackendSet());
}

TEST(BackendSet, NamesReplaceTheDefault) {
  const BackendSet set = {&kSlow, &kOracle};
  EXPECT_FALSE(set.contains(kFast));
  EXPECT_TRUE(set.contains(kSlow));
  EXPECT_TRUE(set.contains(kOracle));
  EXPECT_EQ(set.ToString(), "oracle, slow");
  EXPECT_EQ(set, BackendSet({&kOracle, &kSlow}));
  EXPECT_NE(set, BackendSet({&kOracle}));
}

TEST(BackendSet, AddDefaultsIsAUnion) {
  BackendSet set = {&kOracle};
  set.AddDefaults();
  EXPECT_TRUE(set.contains(kFast));
  EXPECT_TRUE(set.contains(kOracle));
  EXPECT_EQ(set.ToString(","), "default,oracle");
  EXPECT_NE(set, BackendSet());
}

TEST(BackendSet, IntersectionAndUnion) {
  BackendSet both = BackendSet({&kOracle, &kSlow});
  EXPECT_EQ(both.Intersection({&kSlow, &kFast}), BackendSet({&kSlow}));
  EXPECT_EQ(both.Intersection(BackendSet()), BackendSet({&kSlow}));
  EXPECT_EQ(BackendSet().Intersection(both), BackendSet({&kSlow}));
  EXPECT_EQ(BackendSet().Intersection(BackendSet()), BackendSet());
  EXPECT_EQ(both.Intersection(BackendSet::None()), BackendSet::None());
  EXPECT_EQ(both.Union({&kFast}), BackendSet({&kFast, &kOracle, &kSlow}));
  both = both.Union(BackendSet());
  EXPECT_TRUE(both.contains(kOracle));
  EXPECT_TRUE(both.contains(kFast));
}

TEST(BackendSet, NoneHasNothing) {
  EXPECT_FALSE(BackendSet::None().contains(kFast));
  EXPECT_EQ(BackendSet::None().ToString(), "none");
}

// The last test: afterwards no backend gets a number any more.
TEST(BackendNumber, IsKeptAndEndsAtTheLimit) {
  EXPECT_EQ(BackendNumber(kFast), BackendNumber(kFast));
  EXPECT_NE(BackendNumber(kFast), BackendNumber(kSlow));
  static std::deque<BackendInfo> many;
  for (int i = 0; i < kMaxBackends; ++i) {
    many.push_back({"more", &device_cpu, 1, true, nullptr});
    EXPECT_LT(BackendNumber(many.back()), kMaxBackends);
  }
  EXPECT_EQ(BackendNumber(many.back()), -1);
  EXPECT_FALSE(BackendSet({&many.back()}).contains(many.back()));
  EXPECT_TRUE(BackendSet().contains(many.back()));
  EXPECT_GE(BackendNumber(kFast), 0);
}

}  // namespace
}  // namespace switchyard::phi
