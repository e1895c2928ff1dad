// SPDX-License-Identifier: Apache-2.0
// RunProfile: when each step of a run began and ended.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_RUN_PROFILE_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_RUN_PROFILE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "phi/core/kernel_def.h"
#include "static_graph/executor/plan.h"

namespace switchyard::static_graph {

// One step of a run. What it points to lives as long as the program.
struct ProfiledStep {
  const char* op;                  // "conv2d", "cf.while"
  const phi::KernelDef* kernel;    // Null for control flow.
  const Instruction* instruction;  // Null for a transform that was chosen when
                                   // shapes were known.
  int64_t begin = 0;               // Nanoseconds since the profile was made.
  int64_t end = 0;
};

// Collects the steps of one run, in the order in which they began; those of a
// loop's or a branch's block lie within its own. On an asynchronous device a
// step ends when its work has been given to the stream. One thread at a time.
//
//   RunProfile profile;
//   RunOptions options;
//   options.profile = &profile;
//   program->Run(feeds, &state, options);
//   for (const ProfiledStep& step : profile.steps()) ...
class RunProfile {
 public:
  RunProfile() : start_(Clock::now()) {}

  // Returns the number that End() takes.
  size_t Begin(const char* op, const phi::KernelDef* kernel,
               const Instruction* instruction) {
    steps_.push_back({op, kernel, instruction});
    steps_.back().begin = Now();
    return steps_.size() - 1;
  }
  void End(size_t step) { steps_[step].end = Now(); }

  const std::vector<ProfiledStep>& steps() const { return steps_; }

 private:
  using Clock = std::chrono::steady_clock;

  int64_t Now() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() -
                                                                start_)
        .count();
  }

  const Clock::time_point start_;
  std::vector<ProfiledStep> steps_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_RUN_PROFILE_H_
