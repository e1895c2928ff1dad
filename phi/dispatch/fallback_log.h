// SPDX-License-Identifier: Apache-2.0
// FallbackLog: which calls fell back to the CPU, where a policy allowed it
// (Policy::allow_fallback), and what that copied. A program reads them to find
// what its device lacks. They are kept by thread, like the policy
// (phi/dispatch/environment.h).
#ifndef SWITCHYARD_PHI_DISPATCH_FALLBACK_LOG_H_
#define SWITCHYARD_PHI_DISPATCH_FALLBACK_LOG_H_

#include <cstdint>
#include <string>
#include <vector>

#include "framework/types/place.h"

namespace switchyard::phi::dispatch {

// Sums up all fallbacks of one operator between one pair of places.
struct Fallback {
  std::string op;
  Place from;     // Where the call belonged.
  Place to;       // Where it ran.
  int64_t bytes;  // Copied, both ways.
  int64_t count;  // Calls.
};

// Returns the calling thread's log, in the order of their first fallback.
const std::vector<Fallback>& FallbackLog();
void ClearFallbackLog();

// Adds one call to the calling thread's log.
void LogFallback(const char* op, Place from, Place to, int64_t bytes);

}  // namespace switchyard::phi::dispatch

#endif  // SWITCHYARD_PHI_DISPATCH_FALLBACK_LOG_H_
