// SPDX-License-Identifier: Apache-2.0
// Options: what switchyard_options_set_... set.
#ifndef SWITCHYARD_LIBRARY_OPTIONS_H_
#define SWITCHYARD_LIBRARY_OPTIONS_H_

#include <cstdint>
#include <string>

#include "framework/base/status.h"
#include "library/include/switchyard.h"

namespace switchyard::library {

// The options of a model and of a session, by the interface's rules.
struct Options {
  std::string weights;
  std::string relaxed;
  bool strict_kernels = false;
  int threads = 0;
  int64_t memory_limit = INT64_MAX;
  int64_t seed = 0;
  bool profile = false;
};

// Returns a copy of the options of a handle; those that nothing was set of for
// 0.
absl::StatusOr<Options> OptionsOf(switchyard_options handle);

}  // namespace switchyard::library

#endif  // SWITCHYARD_LIBRARY_OPTIONS_H_
