// SPDX-License-Identifier: Apache-2.0
// define_operator() and the class that it returns, for switchyard/custom.py.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "python/bindings/bind.h"
#include "python/bindings/convert.h"
#include "python/bindings/custom_op.h"
#include "python/bindings/errors.h"
#include "python/bindings/op_function.h"

namespace py = pybind11;

namespace switchyard::python {
namespace {

// The object that custom.py holds. The operator lives as long as the process.
struct OperatorHandle {
  PythonOperator* op;
};

// (name, type) or (name, type, default), the type by its word in YAML.
PythonOperator::Attr AttrOf(const py::sequence& words) {
  PythonOperator::Attr attr;
  attr.name = py::cast<std::string>(words[0]);
  attr.type = ParseAttrType(py::cast<std::string>(words[1])).value();
  if (py::len(words) > 2) {
    AttrStorage storage(1);
    const py::object value = words[2];
    attr.default_value.emplace(
        ValueOrThrow(storage.Parse(attr.name, attr.type, value.ptr())));
  }
  return attr;
}

std::vector<PythonOperator::Legacy::Slot> SlotsOf(const py::handle& words) {
  std::vector<PythonOperator::Legacy::Slot> slots;
  for (const auto& [name, argument] :
       py::cast<std::vector<std::pair<std::string, int>>>(words)) {
    slots.push_back({name, argument});
  }
  return slots;
}

OperatorHandle Define(const py::dict& words, py::object infer, py::object run) {
  PythonOperator::Signature signature;
  signature.name = py::cast<std::string>(words["name"]);
  signature.doc = py::cast<std::string>(words["doc"]);
  signature.file = py::cast<std::string>(words["file"]);
  signature.line = py::cast<int>(words["line"]);
  using Pair = std::pair<std::string, bool>;
  for (const auto& [name, read] :
       py::cast<std::vector<Pair>>(words["inputs"])) {
    signature.inputs.push_back({name, read});
  }
  for (const py::handle attr : words["attrs"]) {
    signature.attrs.push_back(AttrOf(py::cast<py::sequence>(attr)));
  }
  for (const auto& [name, optional] :
       py::cast<std::vector<Pair>>(words["outputs"])) {
    signature.outputs.push_back({name, optional});
  }
  if (const py::object legacy = words["legacy"]; !legacy.is_none()) {
    signature.legacy = {py::cast<std::string>(legacy["type"]),
                        SlotsOf(legacy["inputs"]), SlotsOf(legacy["outputs"]),
                        py::cast<std::vector<std::string>>(legacy["attrs"])};
  }
  auto op = std::make_unique<PythonOperator>(std::move(signature));
  op->SetFunctions(std::move(infer), std::move(run));
  ThrowIfError(op->Register());
  return {op.release()};
}

py::object FunctionOf(const OperatorHandle& handle) {
  PyObject* const function = MakeOpFunction(handle.op->python_op());
  if (function == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(function);
}

// `sources`: ("input" | "output" | "gradient", number) for each input of
// `backward`.
void SetGradient(const OperatorHandle& handle, const OperatorHandle& backward,
                 const std::vector<std::pair<std::string, int>>& sources) {
  using Kind = phi::GradSource::Kind;
  std::vector<phi::GradSource> all;
  for (const auto& [kind, number] : sources) {
    all.push_back({kind == "input"    ? Kind::kInput
                   : kind == "output" ? Kind::kOutput
                                      : Kind::kOutputGrad,
                   static_cast<int16_t>(number)});
  }
  handle.op->SetGradient(*backward.op, std::move(all));
}

}  // namespace

void BindCustomOp(py::module_& module) {
  py::class_<OperatorHandle>(module, "PythonOperator",
                             "An operator of Python functions.")
      .def("function", &FunctionOf, "Returns the operator's function.")
      .def("set_gradient", &SetGradient, py::arg("backward"),
           py::arg("sources"), "Makes `backward` its gradient.")
      .def(
          "set_functions",
          [](const OperatorHandle& handle, py::object infer, py::object run) {
            handle.op->SetFunctions(std::move(infer), std::move(run));
          },
          py::arg("infer"), py::arg("run"), "Other functions from now on.");
  module.def("define_operator", &Define, py::arg("words"), py::arg("infer"),
             py::arg("run"),
             "Makes an operator; switchyard/custom.py calls it.");
}

}  // namespace switchyard::python
