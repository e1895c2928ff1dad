// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/memory_campaign.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <vector>

#include "absl/debugging/failure_signal_handler.h"
#include "framework/base/op_error.h"
#include "tests/faults/fault_injection.h"

namespace switchyard {
namespace {

// How a child process ends; the parent sees other numbers as a crash.
enum ExitCode { kSurvived = 0, kWrong = 1, kNothingFailed = 2 };

absl::StatusOr<std::string> Run(const Scenario& scenario) {
  try {
    return scenario();
  } catch (const OpError& error) {
    return error.status();
  }
}

// Memory in use: tensors' blocks and what operator new gave out.
struct Use {
  int64_t blocks = SyLiveBlocks();
  int64_t news = SyLiveNews();

  friend Use operator-(const Use& a, const Use& b) {
    return {a.blocks - b.blocks, a.news - b.news};
  }
};

// The result of undisturbed runs of a scenario.
struct Expected {
  std::string result;
  Use kept;  // By two runs.
};

// Says what is wrong about a run in which requests fail; empty if nothing is.
std::string RunWithFailures(const Scenario& scenario, int64_t n, bool lasting,
                            const Expected& expected, int64_t* failed) {
  absl::StatusOr<std::string> result = std::string();
  SyFailNewAfter(n, lasting);
  try {
    result = Run(scenario);
    *failed = SyStopFailingNew();
  } catch (const std::bad_alloc&) {
    *failed = SyStopFailingNew();
    return std::string();
  } catch (const std::exception& error) {
    *failed = SyStopFailingNew();
    return std::string("the run was left by ") + error.what();
  }
  if (result.ok()) {
    if (*result == expected.result) return std::string();
    return "the run gave " + *result + "\nnot " + expected.result;
  }
  if (result.status().code() == absl::StatusCode::kResourceExhausted) {
    return std::string();
  }
  return "the run ended with " + result.status().ToString();
}

// Says what is wrong about the run after it; empty if nothing is.
std::string RunAgain(const Scenario& scenario, const Expected& expected) {
  const absl::StatusOr<std::string> result = Run(scenario);
  if (!result.ok()) {
    return "the next run ended with " + result.status().ToString();
  }
  if (*result == expected.result) return std::string();
  return "the next run gave " + *result + "\nnot " + expected.result;
}

std::string Complaint(const Scenario& scenario, int64_t n, bool lasting,
                      const Expected& expected, int64_t* failed) {
  const Use before;
  std::string wrong = RunWithFailures(scenario, n, lasting, expected, failed);
  if (wrong.empty()) wrong = RunAgain(scenario, expected);
  if (!wrong.empty()) return wrong;
  const Use kept = Use() - before;
  if (kept.blocks <= expected.kept.blocks && kept.news <= expected.kept.news) {
    return wrong;
  }
  return "two runs kept " + std::to_string(kept.blocks) + " blocks and " +
         std::to_string(kept.news) + " pieces of memory, not " +
         std::to_string(expected.kept.blocks) + " and " +
         std::to_string(expected.kept.news);
}

// In a child: what happens to it happens to it alone.
int Try(const Scenario& scenario, int64_t n, bool lasting,
        const Expected& expected, bool trace) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    if (trace) absl::InstallFailureSignalHandler({});
    int64_t failed = 0;
    const std::string wrong =
        Complaint(scenario, n, lasting, expected, &failed);
    if (!wrong.empty()) std::cerr << wrong << std::endl;
    ::_exit(!wrong.empty() ? kWrong : failed == 0 ? kNothingFailed : kSurvived);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  return 128 + WTERMSIG(status);
}

// How many requests a run makes, once its caches are filled.
int64_t CountRequests(const Scenario& scenario) {
  SyFailNewAfter(INT64_MAX, false);
  EXPECT_TRUE(Run(scenario).ok());
  SyStopFailingNew();
  return SyNewRequests();
}

}  // namespace

std::string Bits(const DenseTensor& tensor) {
  std::string text = ToString(tensor) + " ";
  const auto* bytes = static_cast<const unsigned char*>(tensor.raw_data());
  const int64_t count =
      tensor.numel() * static_cast<int64_t>(ElementSize(tensor.dtype()));
  for (int64_t i = 0; i < count; ++i) {
    char hex[3];
    std::snprintf(hex, sizeof(hex), "%02x", bytes[i]);
    text += hex;
  }
  return text;
}

void ExpectSurvivesFailedAllocations(const Scenario& scenario, int64_t most) {
  const absl::StatusOr<std::string> first = Run(scenario);
  ASSERT_TRUE(first.ok()) << first.status();
  Expected expected{*Run(scenario), {}};
  const Use before;
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(Run(scenario).ok());
  expected.kept = Use() - before;
  const int64_t requests = CountRequests(scenario);
  ASSERT_GT(requests, 0) << "the scenario asks for no memory";
  const bool every = std::getenv("SY_FAULTS_EVERY") != nullptr;
  const int64_t step = every ? 1 : (requests + most - 1) / most;
  int64_t survived = 0;
  std::vector<std::string> wrong;
  for (const bool lasting : {false, true}) {
    for (int64_t n = 0; n < requests; n += step) {
      const int code = Try(scenario, n, lasting, expected, wrong.empty());
      // A run may make fewer requests than the one that was counted.
      survived += code == kSurvived ? 1 : 0;
      if (code == kSurvived || code == kNothingFailed) continue;
      wrong.push_back(
          std::string(lasting ? "all from " : "only ") + std::to_string(n) +
          (code == kWrong ? ": wrong"
                          : ": signal " + std::to_string(code - 128)));
    }
  }
  std::string text;
  for (size_t i = 0; i < wrong.size() && i < 20; ++i) text += "\n" + wrong[i];
  EXPECT_TRUE(wrong.empty())
      << wrong.size() << " failures were not survived:" << text;
  EXPECT_GT(survived, 0);
  std::cout << "  " << requests << " requests, " << survived
            << " failures survived, " << wrong.size() << " not" << std::endl;
}

}  // namespace switchyard
