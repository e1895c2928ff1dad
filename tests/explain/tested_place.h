// SPDX-License-Identifier: Apache-2.0
// Where the test of explain runs, as its environment says: on the CPU, on the
// simulated device with a kernel for each one of the CPU (EXPLAIN_PLACE=sim:0),
// or there with a dozen and fallbacks for the rest (SIM_KERNELS=few).
#ifndef SWITCHYARD_TESTS_EXPLAIN_TESTED_PLACE_H_
#define SWITCHYARD_TESTS_EXPLAIN_TESTED_PLACE_H_

#include <vector>

#include "phi/selection/policy.h"
#include "tests/explain/cases.h"

namespace switchyard {

Place TestedPlace();

// True where the simulated device has a dozen kernels only.
bool FewKernels();

// Returns the policies; the first admits the most ordinary choices. Of the
// simulated device those backends are admitted that stand for the ones of the
// CPU; with few kernels all allow fallbacks.
std::vector<phi::selection::Policy> TestedPolicies();

// Returns the call on tensors of the tested place; `rng_on_host`: except the
// state of random numbers.
Case OnTestedPlace(const Case& call, bool rng_on_host);

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_EXPLAIN_TESTED_PLACE_H_
