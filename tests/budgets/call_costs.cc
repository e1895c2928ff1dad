// SPDX-License-Identifier: Apache-2.0
// call_costs [CASE...]: runs the cases of call_cases.h for callgrind, all of
// them or those named: calls BudgetMark before and after the runs of each case
// and prints its name and number of calls. Times are in tests/benchmarks.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/budgets/budget_mark.h"
#include "tests/budgets/call_cases.h"

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

}  // namespace
}  // namespace switchyard

int main(int argc, char** argv) {
  const std::vector<std::string> names(argv + 1, argv + argc);
  for (const switchyard::CallCase& call : switchyard::CallCases()) {
    if (names.empty() ||
        std::find(names.begin(), names.end(), call.name) != names.end()) {
      switchyard::Count(call);
    }
  }
  return 0;
}
