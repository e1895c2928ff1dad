// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eager/autograd/engine.h"
#include "eager/autograd/grad_mode.h"
#include "eager/call/anomaly_mode.h"
#include "eager/call/repeats.h"
#include "framework/device/cpu/parallel.h"
#include "framework/device/device_info.h"
#include "framework/device/transfer.h"
#include "framework/random/generator.h"
#include "phi/core/kernel_tables.h"
#include "phi/dispatch/environment.h"
#include "phi/promotion/autocast.h"
#include "python/bindings/bind.h"
#include "python/bindings/caller_line.h"
#include "python/bindings/convert.h"
#include "python/bindings/errors.h"
#include "python/bindings/gil.h"
#include "python/bindings/objects.h"
#include "python/bindings/tracing_scope.h"

namespace py = pybind11;

namespace switchyard::python {
namespace {

// Whether it is a tensor of bfloat16 or lists of such: NumPy has them as
// float32.
bool IsBFloat16(PyObject* object, int depth = 0) {
  if (IsTensor(object)) {
    return GetTensor(object).dtype() == DataType::kBFloat16;
  }
  if (!PyList_Check(object) && !PyTuple_Check(object)) return false;
  if (depth == kMaxRank) return false;
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(object);
  for (Py_ssize_t i = 0; i < size; ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(object, i);
    if (!IsBFloat16(item, depth + 1)) return false;
  }
  return size > 0;
}

void SetAutocastDtype(const py::object& dtype) {
  const DataType type =
      dtype.is_none()
          ? DataType::kUndefined
          : ValueOrThrow(DataTypeFromObject("autocast: dtype", dtype.ptr()));
  if (type != DataType::kFloat16 && type != DataType::kBFloat16 &&
      type != DataType::kUndefined) {
    ThrowIfError(
        TypeError("autocast: dtype", "float16 or bfloat16", Name(type)));
  }
  phi::promotion::SetAutocastDtype(type);
}

// `device` is PyTorch's name of `place`.
Place PlaceOfTensor(const py::object& place, const py::object& device) {
  if (place.is_none() && device.is_none()) {
    return phi::dispatch::Environment::Current().default_place;
  }
  if (device.is_none()) {
    return ValueOrThrow(PlaceFromObject("tensor: place", place.ptr()));
  }
  if (!place.is_none()) {
    ThrowIfError(
        ArgumentError("tensor: device", "left out beside place", "both"));
  }
  return ValueOrThrow(PlaceFromObject("tensor: device", device.ptr()));
}

py::object MakeTensor(
    const py::object& data, const py::object& dtype, bool requires_grad,
    const std::optional<std::vector<std::vector<int64_t>>>& lod,
    const py::object& place, const py::object& device) {
  const Place to = PlaceOfTensor(place, device);
  DataType type = ValueOrThrow(DataTypeFromObject("dtype", dtype.ptr()));
  if (type == DataType::kUndefined && IsBFloat16(data.ptr())) {
    type = DataType::kBFloat16;
  }
  DenseTensor dense =
      ValueOrThrow(TensorFromObject("tensor: data", data.ptr(), type));
  if (lod.has_value()) {
    const int64_t rows = dense.rank() == 0 ? 0 : dense.extent(0);
    dense.SetLod(
        std::make_shared<const LoD>(ValueOrThrow(LodFromLengths(*lod, rows))));
  }
  if (to != dense.place()) dense = ValueOrThrow(Transferred(dense, to));
  eager::Tensor tensor(std::move(dense));
  if (requires_grad) ThrowIfError(tensor.set_requires_grad(true));
  TracingScope::AddMadeHere(tensor);
  return py::reinterpret_steal<py::object>(WrapTensor(std::move(tensor)));
}

py::list Devices() {
  phi::KernelTables::Current();  // Registers them.
  py::list devices;
  for (const DeviceInfo* device : RegisteredDevices()) {
    for (int i = 0; i < device->count(); ++i) {
      const auto type = static_cast<DeviceType>(DeviceNumber(device->name));
      const DeviceProperties properties = ValueOrThrow(device->properties(i));
      py::dict row;
      row["place"] = ToString(Place{type, static_cast<int8_t>(i)});
      row["model"] = properties.model;
      row["memory"] = properties.memory_bytes;
      py::dict numbers;
      for (size_t k = 0; k < device->property_names.size(); ++k) {
        numbers[device->property_names[k]] =
            device->property(i, static_cast<int>(k));
      }
      row["properties"] = numbers;
      devices.append(row);
    }
  }
  return devices;
}

std::vector<eager::Tensor> TensorsOf(const char* argument,
                                     const py::sequence& objects) {
  std::vector<eager::Tensor> tensors;
  for (const py::handle object : objects) {
    if (object.is_none()) {
      tensors.emplace_back();
    } else if (IsTensor(object.ptr())) {
      tensors.push_back(GetTensor(object.ptr()));
    } else {
      ThrowIfError(
          TypeError(argument, "tensors", Py_TYPE(object.ptr())->tp_name));
    }
  }
  return tensors;
}

py::list Grad(const py::sequence& outputs, const py::sequence& inputs,
              const std::optional<py::sequence>& grad_outputs,
              std::optional<bool> retain_graph, bool create_graph,
              bool allow_unused) {
  const std::vector<eager::Tensor> from = TensorsOf("grad: outputs", outputs);
  const std::vector<eager::Tensor> to = TensorsOf("grad: inputs", inputs);
  std::vector<eager::Tensor> seeds;
  if (grad_outputs.has_value()) {
    seeds = TensorsOf("grad: grad_outputs", *grad_outputs);
  }
  eager::GradOptions options;
  options.retain_graph = retain_graph;
  options.create_graph = create_graph;
  options.allow_unused = allow_unused;
  absl::StatusOr<std::vector<eager::Tensor>> grads;
  {
    const ReleasedGil released;
    grads = eager::Grad(from, to, seeds, options);
  }
  py::list result;
  for (eager::Tensor& grad : ValueOrThrow(std::move(grads))) {
    result.append(
        py::reinterpret_steal<py::object>(WrapTensor(std::move(grad))));
  }
  return result;
}

void BindPlaces(py::module_& module) {
  module.def("devices", &Devices,
             "The devices of this process: a dict of \"place\", \"model\", "
             "\"memory\" (bytes) and \"properties\" (numbers) each.");
  module.def(
      "place",
      [](const py::object& place) {
        return ToString(ValueOrThrow(PlaceFromObject("place", place.ptr())));
      },
      py::arg("place"), "The place's full name, if the process has it.");
  module.def(
      "default_place",
      [] {
        return ToString(phi::dispatch::Environment::Current().default_place);
      },
      "Where this thread makes tensors from data, or from nothing.");
  module.def(
      "set_default_place",
      [](const py::object& place) {
        phi::dispatch::Environment::Current().default_place = ValueOrThrow(
            PlaceFromObject("set_default_place: place", place.ptr()));
      },
      py::arg("place"),
      "Makes a place the default one of this thread: \"cpu\" at first.");
}

// The mark of what nn.Parameter returned.
bool IsParameter(const py::handle& thing) {
  return IsTensor(thing.ptr()) &&
         reinterpret_cast<TensorObject*>(thing.ptr())->is_parameter;
}

// Whether one of these is a tensor that repeats elements.
bool SomeRepeat(const py::tuple& things) {
  for (const py::handle& thing : things) {
    if (IsTensor(thing.ptr()) &&
        eager::RepeatsElements(
            reinterpret_cast<TensorObject*>(thing.ptr())->tensor)) {
      return true;
    }
  }
  return false;
}

void MarkParameter(const py::handle& tensor) {
  if (!IsTensor(tensor.ptr())) {
    ThrowIfError(TypeError("Parameter: tensor", "a tensor",
                           Py_TYPE(tensor.ptr())->tp_name));
  }
  reinterpret_cast<TensorObject*>(tensor.ptr())->is_parameter = true;
}

// Tells anomaly mode the place of a call.
std::string CallSite() {
  const HeldGil gil;
  const std::optional<CallerLine> caller = FindCallerLine();
  if (!caller.has_value()) return {};
  return caller->file + ":" + std::to_string(caller->line);
}

void BindAnomalyMode(py::module_& module) {
  eager::SetCallSite(&CallSite);
  module.def("detects_anomalies", &eager::DetectsAnomalies,
             "Whether calls and programs are checked for NaN and infinity that "
             "they make of finite numbers.");
  module.def("set_detects_anomalies", &eager::SetDetectsAnomalies,
             py::arg("on"), "Sets it, for the process.");
}

void BindAutocast(py::module_& module) {
  module.def(
      "autocast_dtype",
      []() -> py::object {
        const DataType dtype = phi::promotion::AutocastDtype();
        if (dtype == DataType::kUndefined) return py::none();
        return py::str(Name(dtype));
      },
      "The narrow dtype of this thread's autocast; None where it is off.");
  module.def("set_autocast_dtype", &SetAutocastDtype, py::arg("dtype"),
             "Sets it: \"float16\" or \"bfloat16\", or None for off.");
}

void BindRandom(py::module_& module) {
  module.def(
      "seed", [](int64_t seed) { DefaultGenerator().Seed(seed); },
      py::arg("seed"), "Seeds the random operators.");
  module.def(
      "rng_state",
      [] {
        const RngState state = DefaultGenerator().state();
        return py::make_tuple(state.seed, state.offset);
      },
      "(seed, offset) of the next random operator.");
  module.def(
      "set_rng_state",
      [](int64_t seed, int64_t offset) {
        DefaultGenerator().set_state({seed, offset});
      },
      py::arg("seed"), py::arg("offset"));
}

}  // namespace

void BindEager(py::module_& module) {
  module.def("tensor", &MakeTensor, py::arg("data"),
             py::arg("dtype") = py::none(), py::arg("requires_grad") = false,
             py::arg("lod") = py::none(), py::arg("place") = py::none(),
             py::kw_only(), py::arg("device") = py::none(),
             "A tensor with a copy of `data` (an array, a number, a tensor, "
             "lists of them).\n\n`lod`: lengths of sequences by level. "
             "`place`: \"cpu\", a device (\"gpu:0\"), or the default place "
             "if None, as `device`.");
  BindPlaces(module);
  module.def("grad", &Grad, py::arg("outputs"), py::arg("inputs"),
             py::arg("grad_outputs") = py::none(),
             py::arg("retain_graph") = py::none(),
             py::arg("create_graph") = false, py::arg("allow_unused") = false,
             "Gradients of `outputs` for `inputs`, accumulated nowhere.");
  module.def("is_grad_enabled",
             [] { return eager::CurrentGradMode() == eager::GradMode::kOn; });
  module.def("is_parameter", &IsParameter, py::arg("thing"),
             "Whether a module that gets it as an attribute trains it.");
  module.def("some_repeat", &SomeRepeat, py::arg("things"));
  module.def("set_keeps_repeats", &eager::SetKeepsRepeats, py::arg("keeps"),
             "Whether results may repeat elements; returns what held before.");
  module.def("mark_parameter", &MarkParameter, py::arg("tensor"),
             "Has modules that get this tensor as an attribute train it.");
  BindAnomalyMode(module);
  BindAutocast(module);
  BindRandom(module);
  module.def("set_num_threads", &SetNumThreads, py::arg("threads"),
             "Threads inside an operator, for calls from this thread.");
  module.def("num_threads", &NumThreads);
}

}  // namespace switchyard::python
