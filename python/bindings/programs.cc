// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/programs.h"

#include <utility>

#include "eager/call/anomaly_mode.h"
#include "eager/tensor/tensor_impl.h"
#include "framework/device/transfer.h"
#include "framework/tensor/owned_tensor.h"
#include "phi/core/kernel_tables.h"
#include "phi/selection/selection.h"
#include "python/bindings/convert.h"
#include "python/bindings/eager_program.h"
#include "python/bindings/errors.h"
#include "python/bindings/gil.h"
#include "python/bindings/objects.h"
#include "python/bindings/relaxed_argument.h"
#include "python/bindings/signal_check.h"
#include "static_graph/dialect/current_ops.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/executor/run_options.h"
#include "static_graph/executor/run_profile.h"
#include "static_graph/executor/tensor_copy.h"
#include "static_graph/ir/printer.h"

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

// A tensor, or a NumPy array of what is dense.
py::object ObjectOf(const static_graph::Fetch& fetch, bool tensors) {
  PyObject* object = nullptr;
  if (fetch.other != nullptr) {
    object = WrapTensor(eager::Tensor(RefPtr<eager::TensorImpl>::Adopt(
        new eager::TensorImpl(CopyTensor(*fetch.other)))));
  } else {
    object = tensors ? WrapTensor(eager::Tensor(fetch.tensor))
                     : ArrayFromTensor(fetch.tensor);
  }
  if (object == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(object);
}

py::dict DictOf(const std::vector<static_graph::Fetch>& fetches, bool tensors) {
  py::dict result;
  for (const static_graph::Fetch& fetch : fetches) {
    result[py::str(fetch.name)] = ObjectOf(fetch, tensors);
  }
  return result;
}

// Waits for dense fetches and takes them to the host.
absl::Status TakeToHost(std::vector<static_graph::Fetch>* fetches) {
  for (static_graph::Fetch& fetch : *fetches) {
    if (fetch.other != nullptr) continue;
    SY_ASSIGN_OR_RETURN(fetch.tensor, static_graph::OnHost(fetch.tensor));
  }
  return absl::OkStatus();
}

// Turns anomaly mode on for a scope, if it is to be.
class AnomalyModeScope {
 public:
  explicit AnomalyModeScope(bool on) : before_(eager::DetectsAnomalies()) {
    eager::SetDetectsAnomalies(before_ || on);
  }
  ~AnomalyModeScope() { eager::SetDetectsAnomalies(before_); }
  AnomalyModeScope(const AnomalyModeScope&) = delete;
  AnomalyModeScope& operator=(const AnomalyModeScope&) = delete;

 private:
  const bool before_;
};

py::tuple StepTuple(const static_graph::ProfiledStep& step) {
  const static_graph::Instruction& call = *step.call;
  std::string location;
  if (call.location) location = static_graph::ir::ToString(call.location);
  const bool transform = step.role != static_graph::StepRole::kCall;
  return py::make_tuple(
      NameOf(step.kernel, call),
      step.kernel == nullptr ? "" : phi::selection::KernelText(*step.kernel),
      location, step.begin, step.end, ToString(step.place),
      transform ? NameOf(/*kernel=*/nullptr, call) : "",
      ArgumentOf(call, step.role, step.slot), step.bytes, step.kept,
      step.fallback);
}

}  // namespace

std::shared_ptr<static_graph::ir::Context> NewContext() {
  auto context = std::make_shared<static_graph::ir::Context>();
  ThrowIfError(static_graph::RegisterDialects(
      context.get(), static_graph::CurrentDialectOps()));
  return context;
}

void PyState::Set(const std::string& name, const eager::Tensor& tensor) {
  CheckDense("state " + name, tensor);
  ThrowIfError(state_.Set(name, tensor.dense()));
  tensors_[name] = tensor;
}

eager::Tensor PyState::Get(const std::string& name) const {
  const auto known = tensors_.find(name);
  if (known != tensors_.end()) return known->second;
  const DenseTensor* tensor = state_.Find(name);
  if (tensor == nullptr) throw py::key_error(name);
  return eager::Tensor(*tensor);
}

std::vector<std::string> PyState::names() const {
  std::vector<std::string> names;
  for (const auto& entry : state_.entries()) names.push_back(entry.name);
  return names;
}

PyProgram::PyProgram(std::shared_ptr<static_graph::ir::Context> context,
                     static_graph::ir::Program graph,
                     const static_graph::LoweringOptions& lowering,
                     bool verified)
    : context_(std::move(context)), graph_(std::move(graph)) {
  options_.lowering = lowering;
  options_.verify = !verified;
  options_.keep_text =
      false;  // Few ask for it, and ProgramText() makes it again.
  compiled_ = ValueOrThrow(static_graph::Executable::Compile(
      graph_, phi::KernelTables::Current(), options_));
}

PyProgram::PyProgram(std::shared_ptr<static_graph::ir::Context> context,
                     static_graph::ir::Program graph,
                     const static_graph::CompileOptions& options,
                     std::shared_ptr<const static_graph::Executable> compiled)
    : context_(std::move(context)),
      graph_(std::move(graph)),
      options_(options),
      compiled_(std::move(compiled)) {}

std::vector<static_graph::Feed> PyProgram::GetFeeds(
    const py::dict& feeds, std::vector<std::string>* names) const {
  std::vector<RunValue> values;
  for (const auto& [name, value] : feeds) {
    names->push_back(py::cast<std::string>(name));
    values.push_back(RunValueOf("feed '" + names->back() + "'", value,
                                options_.lowering.place));
  }
  std::vector<static_graph::Feed> named;
  for (size_t i = 0; i < values.size(); ++i) {
    named.push_back({(*names)[i], values[i].dense, values[i].other});
  }
  return named;
}

std::vector<static_graph::Fetch> PyProgram::RunWith(
    const py::dict& feeds, PyState* state,
    static_graph::RunOptions options) const {
  options.detect_anomaly = detects_anomalies_ || eager::DetectsAnomalies();
  std::vector<std::string> names;
  const std::vector<static_graph::Feed> named = GetFeeds(feeds, &names);
  absl::StatusOr<std::vector<static_graph::Fetch>> fetched;
  {
    const ReleasedGil released;
    fetched = compiled_->Run(
        named, state == nullptr ? nullptr : &state->state(), options);
  }
  return ValueOrThrow(std::move(fetched));
}

py::dict PyProgram::Run(const py::dict& feeds, PyState* state,
                        bool asynchronous, bool tensors) const {
  static_graph::RunOptions options;
  options.check = SignalCheck();
  options.asynchronous = asynchronous;
  std::vector<static_graph::Fetch> fetched = RunWith(feeds, state, options);
  if (!tensors) {
    absl::Status status;
    {
      const ReleasedGil released;
      status = TakeToHost(&fetched);
    }
    ThrowIfError(status);
  }
  return DictOf(fetched, tensors);
}

py::tuple PyProgram::Profile(const py::dict& feeds, PyState* state) const {
  static_graph::RunProfile profile;
  static_graph::RunOptions options;
  options.check = SignalCheck();
  options.profile = &profile;
  const std::vector<static_graph::Fetch> fetched =
      RunWith(feeds, state, options);
  py::list steps;
  for (const static_graph::ProfiledStep& step : profile.steps()) {
    steps.append(StepTuple(step));
  }
  return py::make_tuple(DictOf(fetched, /*tensors=*/true), steps);
}

py::tuple PyProgram::RunEagerly(const py::dict& feeds, PyState* state,
                                bool tensors, bool profile) const {
  NamedTensors named;
  for (const auto& [name, value] : feeds) {
    const std::string key = py::cast<std::string>(name);
    RunValue fed =
        RunValueOf("feed '" + key + "'", value, options_.lowering.place);
    named.emplace_back(
        key, fed.other == nullptr
                 ? eager::Tensor(fed.dense)
                 : eager::Tensor(RefPtr<eager::TensorImpl>::Adopt(
                       new eager::TensorImpl(CopyTensor(*fed.other)))));
  }
  EagerProgram run(graph_, state == nullptr ? nullptr : &state->state(),
                   options_.lowering, SignalCheck(), profile);
  absl::StatusOr<NamedTensors> fetched;
  {
    const AnomalyModeScope mode(detects_anomalies_);
    const ReleasedGil released;
    fetched = run.Run(named);
  }
  py::dict results;
  for (const auto& [name, tensor] : ValueOrThrow(std::move(fetched))) {
    const bool wrap = tensors || tensor.kind() != TensorKind::kDense;
    PyObject* const object = wrap ? WrapTensor(tensor)
                                  : ArrayFromTensor(ValueOrThrow(
                                        static_graph::OnHost(tensor.dense())));
    if (object == nullptr) throw py::error_already_set();
    results[py::str(name)] = py::reinterpret_steal<py::object>(object);
  }
  py::list steps;
  for (const EagerStep& step : run.steps()) {
    steps.append(py::make_tuple(step.op, step.kernels, step.location,
                                step.begin, step.end));
  }
  return py::make_tuple(results, steps);
}

std::vector<Shape> PyProgram::FeedShapes(
    const std::optional<py::dict>& feeds) const {
  for (const auto& [name, value] : feeds.value_or(py::dict())) {
    ThrowIfError(compiled_->CheckFeed(py::cast<std::string>(name)));
  }
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

absl::StatusOr<static_graph::StepList> PyProgram::StepsOfRun(
    const py::dict& feeds, PyState* state) const {
  std::vector<std::string> names;
  const std::vector<static_graph::Feed> named = GetFeeds(feeds, &names);
  static_graph::RunOptions options;
  options.check = SignalCheck();
  const ReleasedGil released;
  return compiled_->StepsOfRun(
      named, state == nullptr ? nullptr : &state->state(), options);
}

}  // namespace switchyard::python
