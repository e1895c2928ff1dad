// SPDX-License-Identifier: Apache-2.0
// FallbackLog: which calls fell back to the CPU, where a policy allowed it
// (Policy::allow_fallback), and what that copied. A program reads them to find
// what its device lacks. They are kept by thread, like the policy
// (phi/dispatch/environment.h); a program's are those of the thread that runs
// it.
#ifndef SWITCHYARD_PHI_SELECTION_FALLBACK_LOG_H_
#define SWITCHYARD_PHI_SELECTION_FALLBACK_LOG_H_

#include <cstdint>
#include <string>
#include <vector>

#include "framework/types/place.h"

namespace switchyard::phi::selection {

// Sums up all fallbacks of one operator between one pair of places; those of a
// program by where it calls the operator, too.
struct Fallback {
  std::string op;
  std::string location;  // In a program; "" for eager calls.
  Place from;            // Where the call belonged.
  Place to;              // Where it ran.
  int64_t bytes = 0;     // Copied, both ways.
  int64_t count = 0;     // Calls.
};

// Returns the calling thread's log, in the order of their first fallback.
const std::vector<Fallback>& FallbackLog();
void ClearFallbackLog();

// Adds to the calling thread's log.
void LogFallback(const Fallback& fallback);

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_FALLBACK_LOG_H_
