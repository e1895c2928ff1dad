// SPDX-License-Identifier: Apache-2.0
// The campaign of failed allocations: a scenario is run with its n-th request
// for memory refused, for every n, each in a process of its own.
#ifndef SWITCHYARD_TESTS_FAULTS_MEMORY_CAMPAIGN_H_
#define SWITCHYARD_TESTS_FAULTS_MEMORY_CAMPAIGN_H_

#include <cstdint>
#include <functional>
#include <string>

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"

namespace switchyard {

// Returns the results of a run, such that equal texts mean equal results. May
// throw std::bad_alloc and OpError.
using Scenario = std::function<absl::StatusOr<std::string>()>;

// dtype, shape and every bit, for a Scenario to return.
std::string Bits(const DenseTensor& tensor);

// Expects of every n, and of both one failure and all from the n-th on: the
// scenario is left by bad_alloc or ResourceExhausted, or gives the right
// result; the next run, with memory, gives the right result; no more memory is
// kept than by runs without a failure; the process neither crashes nor aborts.
// Prints how many failures there were.
//
// Of a scenario with more than `most` requests some are left out, evenly,
// unless SY_FAULTS_EVERY is set in the environment.
void ExpectSurvivesFailedAllocations(const Scenario& scenario,
                                     int64_t most = 100);

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_FAULTS_MEMORY_CAMPAIGN_H_
