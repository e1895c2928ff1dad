// SPDX-License-Identifier: Apache-2.0
// PyProgram and PyState: what Python holds of a static program: the graph it
// came from, compiled for the linked kernels, and the tensors that it runs on.
// program_facts.h describes a program, program_export.h writes it to files.
#ifndef SWITCHYARD_PYTHON_BINDINGS_PROGRAMS_H_
#define SWITCHYARD_PYTHON_BINDINGS_PROGRAMS_H_

#include <pybind11/pybind11.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eager/tensor/tensor.h"
#include "static_graph/executor/state.h"
#include "static_graph/ir/program.h"
#include "static_graph/program/executable.h"

namespace switchyard::python {

// Returns a context with the dialects of all operators that there are now;
// throws Python errors.
std::shared_ptr<static_graph::ir::Context> NewContext();

// Named tensors. Remembers the eager tensors that it was given, so that asking
// for one gives the same tensor back.
class PyState {
 public:
  void Set(const std::string& name, const eager::Tensor& tensor);
  // KeyError if there is none of this name.
  eager::Tensor Get(const std::string& name) const;
  std::vector<std::string> names() const;

  static_graph::State& state() { return state_; }

 private:
  static_graph::State state_;
  std::map<std::string, eager::Tensor> tensors_;
};

// Immutable, except whether runs detect anomalies. The context must outlive the
// graph.
class PyProgram {
 public:
  // Compiles for the kernels of this image; throws Python errors. `verified`: a
  // pass was the last that changed the graph, and it was verified then.
  PyProgram(std::shared_ptr<static_graph::ir::Context> context,
            static_graph::ir::Program graph,
            const static_graph::LoweringOptions& lowering,
            bool verified = false);
  // Takes what was compiled with these options.
  PyProgram(std::shared_ptr<static_graph::ir::Context> context,
            static_graph::ir::Program graph,
            const static_graph::CompileOptions& options,
            std::shared_ptr<const static_graph::Executable> compiled);

  // {name: array or tensor} -> {name: array, or a tensor if it is not dense or
  // if `tensors`}.
  pybind11::dict Run(const pybind11::dict& feeds, PyState* state,
                     bool asynchronous, bool tensors) const;
  // Returns what Run() returns, with tensors, and the run's steps: a list of
  // (operator, kernel, location, begin, end) as run_profile.h has them, with
  // empty texts for what a step lacks.
  pybind11::tuple Profile(const pybind11::dict& feeds, PyState* state) const;
  // Returns what Profile() returns of a run by the eager executor
  // (python/bindings/eager_program.h), with arrays unless `tensors`; no steps
  // unless `profile`.
  pybind11::tuple RunEagerly(const pybind11::dict& feeds, PyState* state,
                             bool tensors, bool profile) const;
  // Runs with these feeds, over a copy of the states that it writes, and
  // returns the steps that the run took; `state`, which may be null, stays as
  // it is.
  absl::StatusOr<static_graph::StepList> StepsOfRun(const pybind11::dict& feeds,
                                                    PyState* state) const;
  // Returns the shapes of `feeds`, and the program's own for feeds that are
  // missing there.
  std::vector<Shape> FeedShapes(
      const std::optional<pybind11::dict>& feeds) const;

  // Whether runs fail at the first step that makes NaN or infinity of finite
  // numbers. They do in anomaly mode, too (eager/call/anomaly_mode.h). Under
  // the GIL.
  bool detects_anomalies() const { return detects_anomalies_; }
  void SetDetectsAnomalies(bool on) { detects_anomalies_ = on; }

  const std::shared_ptr<static_graph::ir::Context>& context() const {
    return context_;
  }
  const static_graph::ir::Program& graph() const { return graph_; }
  const static_graph::CompileOptions& options() const { return options_; }
  const static_graph::LoweringOptions& lowering() const {
    return options_.lowering;
  }
  const static_graph::Executable& executable() const { return *compiled_; }

 private:
  // The feeds of a run, which borrow their names from `names`.
  std::vector<static_graph::Feed> GetFeeds(
      const pybind11::dict& feeds, std::vector<std::string>* names) const;
  std::vector<static_graph::Fetch> RunWith(
      const pybind11::dict& feeds, PyState* state,
      static_graph::RunOptions options) const;

  std::shared_ptr<static_graph::ir::Context> context_;
  static_graph::ir::Program graph_;
  static_graph::CompileOptions options_;
  std::shared_ptr<const static_graph::Executable> compiled_;
  bool detects_anomalies_ = false;
};

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_PROGRAMS_H_
