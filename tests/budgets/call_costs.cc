// SPDX-License-Identifier: Apache-2.0
// call_costs [--time] [CASE...]: runs the cases of call_cases.h. Without
// --time it is for callgrind: it calls BudgetMark between the cases, whose
// names and numbers of calls it prints. With --time it prints nanoseconds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/budgets/call_cases.h"

// Callgrind writes down what was counted whenever this is entered
// (--dump-before=BudgetMark).
extern "C" __attribute__((noinline)) void BudgetMark() { asm volatile(""); }

namespace switchyard {
namespace {

constexpr int kWarmUps = 3;
constexpr int kRuns = 20;

void Count(const CallCase& call) {
  for (int i = 0; i < kWarmUps; ++i) call.run();
  BudgetMark();
  for (int i = 0; i < kRuns; ++i) call.run();
  BudgetMark();
  std::printf("%s %d\n", call.name.c_str(), kRuns * call.calls_per_run);
}

double NanosecondsPerCall(const CallCase& call) {
  using Clock = std::chrono::steady_clock;
  const int runs = std::max(1, 20000 / call.calls_per_run);
  for (int i = 0; i < runs / 10 + 1; ++i) call.run();
  std::vector<double> figures;
  for (int repetition = 0; repetition < 11; ++repetition) {
    const Clock::time_point begin = Clock::now();
    for (int i = 0; i < runs; ++i) call.run();
    const std::chrono::duration<double, std::nano> time = Clock::now() - begin;
    figures.push_back(time.count() / runs / call.calls_per_run);
  }
  std::sort(figures.begin(), figures.end());
  std::printf("%s min %.1f median %.1f ns\n", call.name.c_str(), figures[0],
              figures[figures.size() / 2]);
  return figures[0];
}

}  // namespace
}  // namespace switchyard

int main(int argc, char** argv) {
  std::vector<std::string> names(argv + 1, argv + argc);
  const bool time = !names.empty() && names[0] == "--time";
  if (time) names.erase(names.begin());
  for (const switchyard::CallCase& call : switchyard::CallCases()) {
    if (!names.empty() &&
        std::find(names.begin(), names.end(), call.name) == names.end()) {
      continue;
    }
    if (time) {
      switchyard::NanosecondsPerCall(call);
    } else {
      switchyard::Count(call);
    }
  }
  return 0;
}
