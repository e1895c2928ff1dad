// SPDX-License-Identifier: Apache-2.0
// Calls of backward operators that follow from a call of the forward operator:
// arguments as GradInfo says, dtypes and shapes as InferMeta does. For tests
// that walk every operator, since the sample lists have forward calls alone.
#ifndef SWITCHYARD_TESTS_SAMPLES_BACKWARD_CALLS_H_
#define SWITCHYARD_TESTS_SAMPLES_BACKWARD_CALLS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "phi/selection/call_parser.h"
#include "static_graph/dialect/dialect_op.h"

namespace switchyard {

// A call as the words of phi/selection/call_parser.h.
struct CallWords {
  const static_graph::DialectOp* op = nullptr;
  std::vector<std::string> inputs;
  std::vector<std::string> attrs;
};

// The call of `op`'s gradient that eager would make of `call`, then that of the
// gradient's gradient and so on; empty if the operator has no gradient, or no
// floating input or output that one flows through.
absl::StatusOr<std::vector<CallWords>> BackwardCalls(
    const static_graph::DialectOp& op, const phi::selection::ParsedCall& call);

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_SAMPLES_BACKWARD_CALLS_H_
