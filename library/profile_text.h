// SPDX-License-Identifier: Apache-2.0
// TraceOf: the steps of a run as text.
#ifndef SWITCHYARD_LIBRARY_PROFILE_TEXT_H_
#define SWITCHYARD_LIBRARY_PROFILE_TEXT_H_

#include <string>

#include "static_graph/executor/run_profile.h"

namespace switchyard::library {

// Returns the steps in Chrome's trace format, for chrome://tracing and
// Perfetto: of each its operator, kernel, place in the program's source,
// begin and duration in microseconds.
std::string TraceOf(const static_graph::RunProfile& profile);

}  // namespace switchyard::library

#endif  // SWITCHYARD_LIBRARY_PROFILE_TEXT_H_
