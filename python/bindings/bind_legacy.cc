// SPDX-License-Identifier: Apache-2.0
// Old names from Python: operators by type, slots and attributes.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <vector>

#include "eager/legacy/run_legacy_op.h"
#include "python/bindings/bind.h"
#include "python/bindings/convert.h"
#include "python/bindings/errors.h"
#include "python/bindings/objects.h"

namespace py = pybind11;

namespace switchyard::python {
namespace {

eager::Tensor TensorArgument(const std::string& slot, py::handle object) {
  if (IsTensor(object.ptr())) return GetTensor(object.ptr());
  return eager::Tensor(
      ValueOrThrow(TensorFromObject(slot, object.ptr(), DataType::kUndefined)));
}

// The legacy type of an attribute is the form's: RunLegacyOp converts.
Attribute MakeAttribute(const std::string& name, py::handle value) {
  AttrStorage storage(1);
  AttrType type = AttrType::kDouble;
  if (py::isinstance<py::bool_>(value)) {
    type = AttrType::kBool;
  } else if (py::isinstance<py::str>(value)) {
    type = AttrType::kString;
  } else if (PyIndex_Check(value.ptr())) {
    type = AttrType::kInt64;
  } else if (py::isinstance<py::list>(value) ||
             py::isinstance<py::tuple>(value)) {
    type = AttrType::kInt64s;
    for (const py::handle item : value) {
      if (py::isinstance<py::bool_>(item)) type = AttrType::kBools;
      if (py::isinstance<py::float_>(item)) type = AttrType::kDoubles;
      if (py::isinstance<py::str>(item)) type = AttrType::kStrings;
    }
  }
  return Attribute(ValueOrThrow(storage.Parse(name, type, value.ptr())));
}

py::dict TraceLegacy(const std::string& type, const py::dict& inputs,
                     const py::dict& attrs) {
  std::vector<eager::SlotTensors> slots;
  for (const auto& [key, value] : inputs) {
    eager::SlotTensors slot{py::cast<std::string>(key), {}};
    if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) {
      for (const py::handle item : value) {
        slot.tensors.push_back(TensorArgument(slot.slot, item));
      }
    } else {
      slot.tensors.push_back(TensorArgument(slot.slot, value));
    }
    slots.push_back(std::move(slot));
  }
  std::vector<eager::LegacyAttribute> attributes;
  for (const auto& [key, value] : attrs) {
    const auto name = py::cast<std::string>(key);
    // Others may hold what no attribute of ours can, lists of texts.
    const bool read = eager::ReadsLegacyAttribute(type, name);
    attributes.push_back(
        {name, read ? MakeAttribute(name, value) : Attribute()});
  }
  py::dict result;
  for (eager::SlotTensors& slot :
       ValueOrThrow(eager::RunLegacyOp(type, slots, attributes))) {
    py::list tensors;
    for (eager::Tensor& tensor : slot.tensors) {
      tensors.append(
          py::reinterpret_steal<py::object>(WrapTensor(std::move(tensor))));
    }
    const py::str name(slot.slot);
    if (slot.duplicable) {
      result[name] = tensors;
    } else {
      result[name] = tensors[0];
    }
  }
  return result;
}

}  // namespace

void BindLegacy(py::module_& module) {
  module.def("has_legacy", &eager::HasLegacyType, py::arg("op_type"));
  module.def("trace_legacy", &TraceLegacy, py::arg("op_type"),
             py::arg("inputs"), py::arg("attrs"));
}

}  // namespace switchyard::python
