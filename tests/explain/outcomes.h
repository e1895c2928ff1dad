// SPDX-License-Identifier: Apache-2.0
// Outcome: what explain says of a call (cases.h), and what the call did that
// ran eagerly, or as a program. The kernels of the binary write down that they
// were entered (observed_kernels.h).
#ifndef SWITCHYARD_TESTS_EXPLAIN_OUTCOMES_H_
#define SWITCHYARD_TESTS_EXPLAIN_OUTCOMES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "phi/core/kernel_table.h"
#include "phi/selection/policy.h"
#include "static_graph/ir/context.h"
#include "static_graph/program/executable.h"
#include "tests/explain/cases.h"
#include "tests/explain/predicted_launches.h"

namespace switchyard {

// The kernels that a call launches, or its error.
struct Outcome {
  absl::Status status;
  std::vector<const phi::KernelDef*> launches;
  bool composed = false;                       // Said of an explained call.
  std::vector<PredictedCall::Late> late = {};  // Said of one, too.
  std::vector<CaseTensor> results = {};        // Of a call that ran eagerly.
};

// Returns the kernels in words, or the error.
std::string TextOf(const Outcome& outcome);

// Returns what explain says of the call on the tested place.
Outcome Explained(const Case& call, const phi::selection::Policy& policy,
                  const phi::KernelTable& kernels);

// Runs the call eagerly, with the tested place as the default one, and waits
// for it.
Outcome RanEagerly(const Case& call, const phi::selection::Policy& policy);

// Runs the call as a program, once to plan it and once to be observed.
class StaticRunner {
 public:
  StaticRunner();

  Outcome Run(const Case& call, const phi::selection::Policy& policy);

 private:
  absl::StatusOr<std::shared_ptr<const static_graph::Executable>> Compile(
      const Case& call, const phi::selection::Policy& policy);

  static_graph::ir::Context context_;
};

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_EXPLAIN_OUTCOMES_H_
