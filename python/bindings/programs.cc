// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/programs.h"

#include <utility>

#include "eager/tensor/tensor_impl.h"
#include "framework/device/transfer.h"
#include "framework/tensor/owned_tensor.h"
#include "phi/core/kernel_tables.h"
#include "python/bindings/convert.h"
#include "python/bindings/errors.h"
#include "python/bindings/gil.h"
#include "python/bindings/objects.h"
#include "python/bindings/signal_check.h"
#include "static_graph/executor/run_options.h"
#include "static_graph/ir/printer.h"
#include "static_graph/program/export_inference.h"
#include "static_graph/program/saved_program.h"

namespace py = pybind11;

namespace switchyard::python {
namespace {

using static_graph::RunValue;

void CheckDense(const std::string& argument, const eager::Tensor& tensor) {
  if (tensor.kind() == TensorKind::kDense) return;
  ThrowIfError(TypeError(argument, "dense", Name(tensor.kind())));
}

// A NumPy array is copied to `place`; a tensor stays where it lies.
RunValue RunValueOf(const std::string& argument, py::handle object,
                    Place place) {
  if (IsTensor(object.ptr())) {
    const eager::Tensor& tensor = GetTensor(object.ptr());
    if (tensor.kind() == TensorKind::kDense) return tensor.dense();
    return RunValue(
        std::shared_ptr<const TensorBase>(CopyTensor(tensor.base())));
  }
  DenseTensor made = ValueOrThrow(
      TensorFromObject(argument, object.ptr(), DataType::kUndefined));
  if (place == Place::Cpu()) return made;
  return ValueOrThrow(Transferred(made, place));
}

// A NumPy array of what is dense, else a tensor.
py::object ObjectOf(const static_graph::Fetch& fetch) {
  PyObject* const object =
      fetch.other == nullptr
          ? ArrayFromTensor(fetch.tensor)
          : WrapTensor(eager::Tensor(RefPtr<eager::TensorImpl>::Adopt(
                new eager::TensorImpl(CopyTensor(*fetch.other)))));
  if (object == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(object);
}

template <typename Ports>
std::vector<std::string> NamesOf(const Ports& ports) {
  std::vector<std::string> names;
  for (const auto& port : ports) names.push_back(port.name);
  return names;
}

}  // namespace

void PyState::Set(const std::string& name, const eager::Tensor& tensor) {
  CheckDense("state " + name, tensor);
  ThrowIfError(state_.Set(name, tensor.dense()));
  tensors_[name] = tensor;
}

void PyState::Adopt(static_graph::State state, Place place) {
  state_ = std::move(state);
  if (place == Place::Cpu()) return;
  for (const std::string& name : names()) {
    ThrowIfError(
        state_.Set(name, ValueOrThrow(Transferred(*state_.Find(name), place))));
  }
}

eager::Tensor PyState::Get(const std::string& name) const {
  const auto known = tensors_.find(name);
  if (known != tensors_.end()) return known->second;
  const DenseTensor* tensor = state_.Find(name);
  if (tensor == nullptr) throw py::key_error(name);
  return eager::Tensor(*tensor);
}

std::vector<std::string> PyState::names() const {
  return NamesOf(state_.entries());
}

PyProgram::PyProgram(std::shared_ptr<static_graph::ir::Context> context,
                     static_graph::ir::Program graph,
                     const static_graph::LoweringOptions& lowering)
    : context_(std::move(context)), graph_(std::move(graph)) {
  options_.lowering = lowering;
  compiled_ = ValueOrThrow(static_graph::Executable::Compile(
      graph_, phi::KernelTables::Current(), options_));
}

py::dict PyProgram::Run(const py::dict& feeds, PyState* state,
                        bool asynchronous) const {
  std::vector<std::string> names;
  std::vector<RunValue> values;
  for (const auto& [name, value] : feeds) {
    names.push_back(py::cast<std::string>(name));
    values.push_back(RunValueOf("feed '" + names.back() + "'", value,
                                options_.lowering.place));
  }
  std::vector<static_graph::Feed> named;
  for (size_t i = 0; i < names.size(); ++i) {
    named.push_back({names[i], values[i].dense, values[i].other});
  }
  absl::StatusOr<std::vector<static_graph::Fetch>> fetched;
  {
    const ReleasedGil released;
    fetched =
        compiled_->Run(named, state == nullptr ? nullptr : &state->state(),
                       {SignalCheck(), asynchronous});
    for (size_t i = 0; fetched.ok() && i < fetched->size(); ++i) {
      if ((*fetched)[i].other != nullptr) continue;
      absl::StatusOr<DenseTensor> host = OnHost((*fetched)[i].tensor);
      if (host.ok()) {
        (*fetched)[i].tensor = *std::move(host);
      } else {
        fetched = host.status();
      }
    }
  }
  py::dict result;
  for (const static_graph::Fetch& fetch : ValueOrThrow(std::move(fetched))) {
    result[py::str(fetch.name)] = ObjectOf(fetch);
  }
  return result;
}

std::vector<std::string> PyProgram::feeds() const {
  return NamesOf(compiled_->feeds());
}
std::vector<std::string> PyProgram::fetches() const {
  return NamesOf(compiled_->fetches());
}
std::vector<std::string> PyProgram::states() const {
  return NamesOf(compiled_->states());
}

std::string PyProgram::Text(const std::string& dialect) const {
  if (dialect == "kernel") return compiled_->lowered_text();
  if (dialect != "op") {
    ThrowIfError(
        ArgumentError("text: dialect", "\"op\" or \"kernel\"", dialect));
  }
  return static_graph::ir::Print(graph_);
}

std::vector<Shape> PyProgram::GetShapes(
    const std::optional<py::dict>& feeds) const {
  std::vector<Shape> shapes;
  for (const auto& port : compiled_->feeds()) {
    if (feeds.has_value() && feeds->contains(port.name)) {
      const auto value =
          RunValueOf(port.name, (*feeds)[py::str(port.name)], Place::Cpu());
      const TensorKind kind = value.base().kind();
      if (kind != port.meta.kind) {
        ThrowIfError(
            TypeError("feed " + port.name, Name(port.meta.kind), Name(kind)));
      }
      shapes.push_back(value.base().shape());
    } else {
      shapes.push_back(port.meta.shape);
    }
  }
  return shapes;
}

std::string PyProgram::Explain(const std::optional<py::dict>& feeds) const {
  return ValueOrThrow(compiled_->Explain(GetShapes(feeds)));
}

std::vector<std::string> PyProgram::Selections(
    const std::optional<py::dict>& feeds) const {
  return ValueOrThrow(compiled_->Transcript(GetShapes(feeds)));
}

PyProgram PyProgram::Export(const std::vector<std::string>& fetches) const {
  return PyProgram(context_,
                   ValueOrThrow(static_graph::ExportInference(graph_, fetches)),
                   options_.lowering);
}

void PyProgram::Save(const std::string& path, PyState& state) const {
  ThrowIfError(static_graph::SaveProgram(path, graph_, state.state()));
}

}  // namespace switchyard::python
