// SPDX-License-Identifier: Apache-2.0
// The phases of a program, from trace to load, over training programs of any
// size: what each phase costs must be linear in the number of operations.
#ifndef SWITCHYARD_TESTS_BUDGETS_PROGRAM_PHASES_H_
#define SWITCHYARD_TESTS_BUDGETS_PROGRAM_PHASES_H_

#include <functional>
#include <string>
#include <string_view>

namespace switchyard {

// Traces, verifies, optimises, lowers, compiles, runs, saves and loads a
// program of about `nodes` operations, by the kernels that the binary links:
// those of tests/budgets:training. Calls `measure` once for each step, with the
// step's name, the number of operations and the step itself, which it runs.
//
// `model` is "layers", linear layers whose parameters have a state of Adam each
// (beyond 1,000 layers, that is 10,000 states, they share them), or "chain",
// one weight and elementwise operators. Throws an OpError if a step fails.
void ForEachPhase(
    std::string_view model, int nodes,
    const std::function<void(const std::string& phase, int nodes,
                             const std::function<void()>& run)>& measure);

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_BUDGETS_PROGRAM_PHASES_H_
