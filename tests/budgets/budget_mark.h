// SPDX-License-Identifier: Apache-2.0
// BudgetMark: callgrind writes down what was counted whenever it is entered
// (--dump-before=BudgetMark).
#ifndef SWITCHYARD_TESTS_BUDGETS_BUDGET_MARK_H_
#define SWITCHYARD_TESTS_BUDGETS_BUDGET_MARK_H_

extern "C" __attribute__((noinline)) inline void BudgetMark() {
  asm volatile("");
}

#endif  // SWITCHYARD_TESTS_BUDGETS_BUDGET_MARK_H_
