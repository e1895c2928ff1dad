// SPDX-License-Identifier: Apache-2.0
// EagerStep: what a profile says of one call of an EagerProgram.
#ifndef SWITCHYARD_PYTHON_BINDINGS_EAGER_STEP_H_
#define SWITCHYARD_PYTHON_BINDINGS_EAGER_STEP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "static_graph/ir/operation.h"

namespace switchyard::python {

// One call of a run; `kernels` are those that it ran, as lines of transcripts
// name them, each once. Nanoseconds since the run was made.
struct EagerStep {
  std::string op;
  std::string kernels;
  std::string location;
  int64_t begin = 0;
  int64_t end = 0;
};

// Returns the kernels of transcripts' lines, "... -> cpu float32 (...)", each
// once.
std::string KernelsOf(const std::vector<std::string>& lines);

// Returns "conv2d", "cf.while": as the static executor names its steps.
std::string StepName(const static_graph::ir::Operation& op);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_EAGER_STEP_H_
