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

// What is wrong about a run in which requests failed; empty if nothing is.
std::string Complaint(const Scenario& scenario, int64_t n, bool lasting,
                      const std::string& expected, int64_t* failed) {
  absl::StatusOr<std::string> result = std::string();
  SyFailNewAfter(n, lasting);
  try {
    result = Run(scenario);
    *failed = SyStopFailingNew();
  } catch (const std::bad_alloc&) {
    *failed = SyStopFailingNew();
    result = absl::ResourceExhaustedError("bad_alloc");
  } catch (const std::exception& error) {
    *failed = SyStopFailingNew();
    return std::string("the run was left by ") + error.what();
  }
  if (*failed > 0 && !result.ok() &&
      result.status().code() != absl::StatusCode::kResourceExhausted) {
    return "the run ended with " + result.status().ToString();
  }
  if (result.ok() && *result != expected) {
    return "the run gave " + *result + "\nnot " + expected;
  }
  result = Run(scenario);
  if (!result.ok())
    return "the next run ended with " + result.status().ToString();
  if (*result != expected) {
    return "the next run gave " + *result + "\nnot " + expected;
  }
  return std::string();
}

// In a child: what happens to it happens to it alone.
int Try(const Scenario& scenario, int64_t n, bool lasting,
        const std::string& expected, bool trace) {
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
      tensor.numel() * static_cast<int64_t>(SizeOf(tensor.dtype()));
  for (int64_t i = 0; i < count; ++i) {
    char hex[3];
    std::snprintf(hex, sizeof(hex), "%02x", bytes[i]);
    text += hex;
  }
  return text;
}

void ExpectSurvivesFailedAllocations(const Scenario& scenario, int64_t most) {
  ASSERT_TRUE(Run(scenario).ok()) << Run(scenario).status();
  const absl::StatusOr<std::string> expected = Run(scenario);
  ASSERT_TRUE(expected.ok()) << expected.status();
  const int64_t requests = CountRequests(scenario);
  ASSERT_GT(requests, 0) << "the scenario asks for no memory";
  const bool every = std::getenv("SY_FAULTS_EVERY") != nullptr;
  const int64_t step = every ? 1 : (requests + most - 1) / most;
  int64_t survived = 0;
  std::vector<std::string> wrong;
  for (const bool lasting : {false, true}) {
    for (int64_t n = 0; n < requests; n += step) {
      const int code = Try(scenario, n, lasting, *expected, wrong.empty());
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
