// SPDX-License-Identifier: Apache-2.0
// The choice of an instruction set against what Linux says of the CPU.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "hwy/targets.h"

namespace switchyard::phi::kernels::cpu {
namespace {

std::set<std::string> CpuFlags() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::set<std::string> flags;
  for (std::string line; flags.empty() && std::getline(cpuinfo, line);) {
    if (line.rfind("flags", 0) != 0) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    for (std::string word; words >> word;) flags.insert(word);
  }
  return flags;
}

TEST(SimdTargetsTest, DetectsWhatLinuxSays) {
  const std::set<std::string> flags = CpuFlags();
  ASSERT_FALSE(flags.empty());
  const int64_t targets = hwy::SupportedTargets();
  EXPECT_NE(targets & HWY_SSE4, 0);
  EXPECT_EQ((targets & HWY_AVX2) != 0, flags.count("avx2") == 1 &&
                                           flags.count("fma") == 1 &&
                                           flags.count("bmi2") == 1);
  EXPECT_EQ((targets & HWY_AVX3) != 0,
            flags.count("avx512bw") == 1 && flags.count("avx512vl") == 1);
}

TEST(SimdTargetsTest, ATestMayRestrictTheChoice) {
  const int64_t all = hwy::SupportedTargets();
  hwy::SetSupportedTargetsForTest(HWY_SSE4);
  EXPECT_EQ(hwy::SupportedTargets(), HWY_SSE4);
  hwy::SetSupportedTargetsForTest(0);
  EXPECT_EQ(hwy::SupportedTargets(), all);
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu
