// SPDX-License-Identifier: Apache-2.0
// RunOptions: the options of one run of a program (executor.h).
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_RUN_OPTIONS_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_RUN_OPTIONS_H_

#include <functional>

#include "framework/base/status.h"

namespace switchyard::static_graph {

class KeptElements;
class RunProfile;
struct StepList;

// The options of one run of a program, besides feeds and state.
struct RunOptions {
  // Called on the run's thread before each iteration of every loop, so it must
  // be quick; an error ends the run. A program alone knows no end of its loops:
  // this is how Ctrl-C or a deadline gets in.
  std::function<absl::Status()> check;
  // On an asynchronous device the run returns once its work has been given to
  // the calling thread's current stream. If that fails, fetches and the states
  // that it writes have no values: reading one of them returns the failure.
  // Otherwise a run waits before it changes states, and a run that fails leaves
  // them as they were.
  bool asynchronous = false;
  // Where not null, gets the run's steps (run_profile.h), which then take some
  // 50 ns more each.
  RunProfile* profile = nullptr;
  // A step that makes NaN or infinity of finite numbers fails, and the error
  // names its operator, its place and what was finite
  // (phi/core/anomaly/anomaly.h). It then takes the time of reading what it
  // reads and writes. Weights that are computed ahead of a run are not checked.
  bool detect_anomaly = false;
  // Where not null, gets the calls of a run by segments (Executor::StepsOfRun).
  // Such a run specializes its segments again, though they may be cached.
  StepList* steps = nullptr;
  // Gets the elements that calls replace in states (frame/kept_elements.h);
  // null where none is to be put back.
  KeptElements* kept = nullptr;

  // Returns true if something is done at each step besides running it.
  bool watches_steps() const { return profile != nullptr || detect_anomaly; }
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_RUN_OPTIONS_H_
