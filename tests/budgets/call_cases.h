// SPDX-License-Identifier: Apache-2.0
// The calls whose cost is budgeted and timed: one element (or nearly so) each,
// so what is measured is the cost of all but the arithmetic.
#ifndef SWITCHYARD_TESTS_BUDGETS_CALL_CASES_H_
#define SWITCHYARD_TESTS_BUDGETS_CALL_CASES_H_

#include <functional>
#include <string>
#include <vector>

namespace switchyard {

// A call whose cost is measured.
struct CallCase {
  std::string name;
  // Calls (nodes, operators) that one run makes; figures are per call.
  int calls_per_run = 1;
  std::function<void()> run;
};

// Fresh cases over the kernels that the binary links: those of
// tests/budgets:small are enough.
std::vector<CallCase> CallCases();

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_BUDGETS_CALL_CASES_H_
