// SPDX-License-Identifier: Apache-2.0
// PyProgram and PyState: what Python holds of a static program: the graph it
// came from, compiled for the linked kernels, and the tensors that it runs on.
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

namespace switchyard::static_graph {
struct OnnxOutOptions;  // static_graph/model/export_onnx.h
enum class ExternalData : uint8_t;
}  // namespace switchyard::static_graph

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
  const static_graph::ir::Program& graph() const { return graph_; }
  const static_graph::LoweringOptions& lowering() const {
    return options_.lowering;
  }
  // Whether runs fail at the first step that makes NaN or infinity of finite
  // numbers. They do in anomaly mode, too (eager/call/anomaly_mode.h). Under
  // the GIL.
  bool detects_anomalies() const { return detects_anomalies_; }
  void SetDetectsAnomalies(bool on) { detects_anomalies_ = on; }
  std::vector<std::string> feeds() const;
  std::vector<std::string> fetches() const;
  std::vector<std::string> states() const;
  // Names of the states that each run writes.
  std::vector<std::string> written_states() const;
  // (name, kind, dtype, extents with -1 for an unknown one) of each.
  pybind11::list feed_specs() const;
  pybind11::list fetch_specs() const;
  // Returns {name: value} of what it relaxes.
  pybind11::dict relaxed() const;
  // Returns the program in the dialect "op" or "kernel" as text, or as a graph
  // in the language of Graphviz ("dot").
  std::string Text(const std::string& form) const;
  // Every operation's candidates and reasons, for the shapes of `feeds`; the
  // program's own, with its unknown extents, for those that it lacks. Where
  // shapes depend on elements, and all feeds are there, those of a run, which
  // leaves `state` as it is; if that fails, as for shapes alone. For people, or
  // as JSON.
  std::string Explain(const std::optional<pybind11::dict>& feeds, bool json,
                      PyState* state) const;
  // One line an operation for these shapes; where shapes depend on elements,
  // those of a run, which leaves `state` as it is. Without feeds, a line says
  // what it still depends on.
  std::vector<std::string> Selections(
      const std::optional<pybind11::dict>& feeds, PyState* state) const;
  // ([(place, bytes)], [(place, offset, bytes, first step, last step)],
  // [(operator, what it is a transform for or "", location)]) of the memory
  // that a run with feeds of these shapes plans; None where a run plans it part
  // by part.
  pybind11::object Memory(const std::optional<pybind11::dict>& feeds) const;
  PyProgram Export(const std::vector<std::string>& fetches) const;
  // Writes what it computes, without training, as an ONNX model.
  void ExportOnnx(const std::string& path, PyState& state,
                  const static_graph::OnnxOutOptions& options,
                  static_graph::ExternalData external) const;
  // With `lock` the file says which kernels were chosen.
  void Save(const std::string& path, PyState& state, bool lock) const;

 private:
  // Runs with these feeds, over a copy of the states that it writes, and
  // returns what it did.
  absl::StatusOr<static_graph::StepList> StepsOfRun(const pybind11::dict& feeds,
                                                    PyState* state) const;
  // The feeds of a run, which borrow their names from `names`.
  std::vector<static_graph::Feed> GetFeeds(
      const pybind11::dict& feeds, std::vector<std::string>* names) const;
  std::vector<static_graph::Fetch> RunWith(
      const pybind11::dict& feeds, PyState* state,
      static_graph::RunOptions options) const;
  std::vector<Shape> GetShapes(
      const std::optional<pybind11::dict>& feeds) const;

  std::shared_ptr<static_graph::ir::Context> context_;
  static_graph::ir::Program graph_;
  static_graph::CompileOptions options_;
  std::shared_ptr<const static_graph::Executable> compiled_;
  bool detects_anomalies_ = false;
};

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_PROGRAMS_H_
