// SPDX-License-Identifier: Apache-2.0
// The cost of a step that reads one further token: its keys and values are
// written into caches, which are states, and all of these are attended.
#ifndef SWITCHYARD_TESTS_BUDGETS_DECODE_CASES_H_
#define SWITCHYARD_TESTS_BUDGETS_DECODE_CASES_H_

#include <vector>

#include "tests/budgets/call_cases.h"

namespace switchyard {

// "static_decode_step", attention included, and "static_cache_write", of one
// place of a cache of 4 MiB, which takes no more than of a small one.
std::vector<CallCase> DecodeCases();

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_BUDGETS_DECODE_CASES_H_
