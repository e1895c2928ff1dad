// SPDX-License-Identifier: Apache-2.0
// Whatever ends a child is said of the case that did it, and the others run.
#include "tests/faults/forked_cases.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <vector>

namespace switchyard {
namespace {

std::vector<std::string> TextsOf(const std::vector<Finding>& findings) {
  std::vector<std::string> texts;
  for (const Finding& finding : findings) {
    texts.push_back(std::to_string(finding.index) + ": " + finding.text);
  }
  return texts;
}

TEST(RunForked, SaysWhichCaseEndedItsProcess) {
  // How often each case ran, seen by all processes.
  void* const shared = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto* const runs = static_cast<std::atomic<int>*>(shared);
  CaseLimits limits;
  limits.batch = 4;
  limits.seconds = 1;
  limits.mebibytes = 64;
  const auto findings =
      RunForked(100, 12, limits, [&](int64_t index) -> std::string {
        runs[index - 100].fetch_add(1);
        if (index == 101) ::raise(SIGKILL);
        if (index == 103) throw std::runtime_error("here");
        if (index == 104) throw std::bad_alloc();
        if (index == 105) return "wrong";
        if (index == 106) {
          for (;;) ::pause();
        }
        if (index == 108) ::_exit(0);
        if (index == 109) {
          void* const memory =
              ::mmap(nullptr, 80 << 20, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
          return memory == MAP_FAILED ? "no memory" : "";
        }
        if (index == 111) ::_exit(3);
        return "";
      });
  ASSERT_EQ(findings.size(), 7u);
  const std::vector<std::string> texts = TextsOf(findings);
  EXPECT_EQ(texts[0], "101: signal 9");
  EXPECT_EQ(texts[1], "103: leaves by here");
  EXPECT_EQ(texts[2], "105: wrong");
  EXPECT_EQ(texts[3], "106: hangs");
  EXPECT_EQ(texts[4], "108: ends the process with code 0");
  EXPECT_EQ(texts[5].substr(0, 11), "109: takes ");
  EXPECT_EQ(texts[6], "111: ends the process with code 3");
  for (int i = 0; i < 12; ++i) EXPECT_EQ(runs[i].load(), 1) << i;
  ::munmap(shared, 4096);
}

TEST(RunForked, FindsNothingWhereNothingIsWrong) {
  CaseLimits limits;
  limits.batch = 3;
  const auto sound = [](int64_t) { return std::string(); };
  EXPECT_TRUE(RunForked(5, 10, limits, sound).empty());
  EXPECT_TRUE(RunForked(5, 0, limits, sound).empty());
}

}  // namespace
}  // namespace switchyard
