// SPDX-License-Identifier: Apache-2.0
// RunForked: numbered cases of a campaign, each of which may crash, hang or
// take all memory: they run in child processes, batch by batch, and whatever
// ends a child is said of the case that it was at.
#ifndef SWITCHYARD_TESTS_FAULTS_FORKED_CASES_H_
#define SWITCHYARD_TESTS_FAULTS_FORKED_CASES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace switchyard {

// Runs the case of that number; returns what is wrong, "" for nothing. What it
// throws is wrong too, except std::bad_alloc.
using CaseFunction = std::function<std::string(int64_t index)>;

// A case that is not as it should be.
struct Finding {
  int64_t index;
  std::string
      text;  // "signal 11", "hangs", "takes 3000 MiB", or its own words.
};

// The bounds of cases.
struct CaseLimits {
  int64_t batch = 500;       // Cases of one child.
  int seconds = 20;          // Of one case, by the clock.
  int64_t mebibytes = 2048;  // More than the child had before the case.
};

// Runs the cases from `start` on, `count` of them. The caller has one thread.
// A case that is found ends its child; the next one starts after it.
std::vector<Finding> RunForked(int64_t start, int64_t count,
                               const CaseLimits& limits,
                               const CaseFunction& run);

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_FAULTS_FORKED_CASES_H_
