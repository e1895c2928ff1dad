// SPDX-License-Identifier: Apache-2.0
// The cost of the adapter of legacy class kernels
// (phi/legacy/kernels/register_legacy_kernel.h): the launch of a functional and
// of an adapted kernel that do the same.
#ifndef SWITCHYARD_TESTS_BUDGETS_ADAPTER_CASES_H_
#define SWITCHYARD_TESTS_BUDGETS_ADAPTER_CASES_H_

#include <vector>

#include "tests/budgets/call_cases.h"

namespace switchyard {

// "launch_functional" and "launch_adapted".
std::vector<CallCase> AdapterCases();

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_BUDGETS_ADAPTER_CASES_H_
