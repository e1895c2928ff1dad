// SPDX-License-Identifier: Apache-2.0
// RunProfile: when each step of a run began and ended.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_RUN_PROFILE_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_RUN_PROFILE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "phi/core/kernel_def.h"
#include "static_graph/executor/plan.h"
#include "static_graph/executor/shape_specialization.h"

namespace switchyard::static_graph {

// One step of a run. What it points to lives as long as the program.
struct ProfiledStep {
  const phi::KernelDef* kernel;  // Null for control flow.
  // The call that it belongs to, and what it is there (plan.h).
  const Instruction* call;
  StepRole role;
  uint16_t slot;
  std::optional<int64_t> bytes;  // That a transform writes, where known.
  Place place;
  bool fallback;      // As Step has it.
  bool kept;          // It is done once for many runs (Packing).
  int64_t begin = 0;  // Nanoseconds since the profile was made.
  int64_t end = 0;
};

// Returns "conv2d", "cf.while": the operator of a kernel, or without one the
// call's.
inline const char* NameOf(const phi::KernelDef* kernel,
                          const Instruction& call) {
  if (kernel != nullptr) return kernel->op;
  if (call.kind == Instruction::Kind::kLaunch) return call.op->name;
  return call.kind == Instruction::Kind::kIf ? "cf.if" : "cf.while";
}

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

  // Returns the number that End() takes. `step` is one of `made`.
  size_t Begin(const Step& step, const ShapeSpecialization& made, bool kept) {
    std::optional<int64_t> bytes;
    if (step.role != StepRole::kCall) bytes = BytesOf(made, step);
    steps_.push_back({step.kernel, step.call, step.role, step.slot, bytes,
                      step.place, step.fallback, kept});
    steps_.back().begin = Now();
    return steps_.size() - 1;
  }
  // Begins control flow whose blocks run one by one.
  size_t Begin(const Instruction& control) {
    steps_.push_back({nullptr, &control, StepRole::kCall, 0, std::nullopt,
                      control.place, false, false});
    steps_.back().begin = Now();
    return steps_.size() - 1;
  }
  void End(size_t step) { steps_[step].end = Now(); }
  // Adds steps that were done in turns, block by block, from `begin` to now.
  // They stand one after the other, each with its share of that time, as
  // `weights` say.
  void AddShares(absl::Span<const Step> steps,
                 absl::Span<const int64_t> weights,
                 const ShapeSpecialization& made, int64_t begin) {
    const auto all = static_cast<double>(Now() - begin);
    double sum = 0;
    for (int64_t weight : weights) sum += static_cast<double>(weight);
    double before = 0;
    for (size_t i = 0; i < steps.size(); ++i) {
      const size_t number = Begin(steps[i], made, /*kept=*/false);
      const auto at = [&](double part) {
        return begin + static_cast<int64_t>(sum > 0 ? all * part / sum : 0);
      };
      steps_[number].begin = at(before);
      before += static_cast<double>(weights[i]);
      steps_[number].end = at(before);
    }
  }
  // Returns the nanoseconds since the profile was made.
  int64_t Now() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() -
                                                                start_)
        .count();
  }

  const std::vector<ProfiledStep>& steps() const { return steps_; }

 private:
  using Clock = std::chrono::steady_clock;

  const Clock::time_point start_;
  std::vector<ProfiledStep> steps_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_RUN_PROFILE_H_
