// SPDX-License-Identifier: Apache-2.0
// FallbackLog: the calls that fell back to the CPU because a policy allowed it
// (Policy::allow_fallback), and the bytes copied for them. Read it to find
// operators that a device lacks. Entries are kept by thread, like the policy
// (phi/dispatch/environment.h); a program logs on the thread that runs it.
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
