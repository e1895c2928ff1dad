// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_features.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace switchyard {
namespace {

// Linux lists what the CPU has and the kernel lets programs use.
TEST(CpuFeaturesTest, AgreeWithTheKernelsList) {
  std::ifstream file("/proc/cpuinfo");
  bool listed = false;
  for (std::string word; file >> word;) listed |= word == "avx512_bf16";
  EXPECT_EQ(HasAvx512Bf16(), listed);
}

}  // namespace
}  // namespace switchyard
