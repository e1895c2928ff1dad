// SPDX-License-Identifier: Apache-2.0
// Runs programs whose shapes depend on elements: by segments (late_runner.h),
// with feeds, states and fetches.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_LATE_RUN_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_LATE_RUN_H_

#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "static_graph/executor/late_runner.h"
#include "static_graph/executor/plan.h"
#include "static_graph/executor/run_options.h"
#include "static_graph/executor/run_value.h"
#include "static_graph/executor/state.h"
#include "static_graph/executor/step_list.h"

namespace switchyard::static_graph {

// Runs `plan`, which `runner` is of, as Executor::Run() does. `feeds` fit it.
absl::Status RunLate(const ProgramPlan& plan, const LateRunner& runner,
                     absl::Span<const RunValue> feeds, State* state,
                     std::vector<RunValue>* fetches, const RunOptions& options);

// Runs it over copies of the states that it writes, and returns its calls as
// Executor::StepsOfRun() does.
absl::StatusOr<StepList> StepsOfLateRun(const ProgramPlan& plan,
                                        const LateRunner& runner,
                                        absl::Span<const RunValue> feeds,
                                        const State* state,
                                        const RunOptions& options);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_LATE_RUN_H_
