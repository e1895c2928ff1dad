// SPDX-License-Identifier: Apache-2.0
// Loading an old program and running it over the binary's kernels.
#ifndef SWITCHYARD_TESTS_PADDLE_PROGRAMS_RUN_PROGRAM_H_
#define SWITCHYARD_TESTS_PADDLE_PROGRAMS_RUN_PROGRAM_H_

#include <memory>
#include <string>

#include "framework/base/status.h"
#include "static_graph/executor/state.h"
#include "static_graph/program/executable.h"

namespace switchyard {

// An old program, compiled, and its weights.
struct RunnableProgram {
  std::shared_ptr<const static_graph::Executable> program;
  static_graph::State state;
};

// The program in `folder` and its weights, for KernelTables::Current().
absl::StatusOr<RunnableProgram> LoadForRuns(
    const std::string& folder,
    const static_graph::CompileOptions& options = {});

// The bytes of a file, inflated if it is gzipped.
absl::StatusOr<std::string> ReadInflated(const std::string& path);

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_PADDLE_PROGRAMS_RUN_PROGRAM_H_
