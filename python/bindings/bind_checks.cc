// SPDX-License-Identifier: Apache-2.0
// Checks of what a traced program depends on, and the signature of a step's
// arguments.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <vector>

#include "python/bindings/bind.h"
#include "python/bindings/checks.h"
#include "python/bindings/errors.h"
#include "python/bindings/objects.h"
#include "python/bindings/signature.h"
#include "python/bindings/sources.h"

namespace py = pybind11;

namespace switchyard::python {
namespace {

// As Python holds them: pybind11 takes no holder of a const.
struct CheckHandle {
  CheckRef check;
};
struct SourceHandle {
  SourceRef source;
};

CheckHandle Made(CheckRef check) {
  if (check == nullptr) throw py::error_already_set();
  return {std::move(check)};
}

PyObject* OrNull(const py::handle& object) {
  return object.is_none() ? nullptr : object.ptr();
}

std::vector<CheckRef> AllOf(const std::vector<CheckHandle>& handles) {
  std::vector<CheckRef> checks;
  for (const CheckHandle& handle : handles) checks.push_back(handle.check);
  return checks;
}

CheckHandle ElementsCheck(const py::handle& tensor) {
  if (!IsTensor(tensor.ptr())) {
    ThrowIfError(
        TypeError("tensor", "a tensor", Py_TYPE(tensor.ptr())->tp_name));
  }
  return Made(CheckElements(tensor.ptr()));
}

// The objects that are given belong to the caller, who keeps them.
void BindCheck(py::module_& module) {
  py::class_<CheckHandle>(module, "Check",
                          "Compares a value with what another one was.")
      .def_static("same",
                  [](const py::handle& object, const py::handle& weak) {
                    return Made(CheckSame(object.ptr(), OrNull(weak)));
                  })
      .def_static("exact",
                  [](const py::handle& object) {
                    return Made(CheckExact(object.ptr()));
                  })
      .def_static("bits",
                  [](const py::handle& object) {
                    return Made(CheckBits(object.ptr()));
                  })
      .def_static(
          "array",
          [](const py::handle& array) { return Made(CheckArray(array.ptr())); })
      .def_static(
          "items",
          [](const py::type& type, py::ssize_t length, const py::handle& keys,
             const std::vector<CheckHandle>& checks) {
            return Made(
                CheckItems(type.ptr(), length, OrNull(keys), AllOf(checks)));
          })
      .def_static("members",
                  [](const py::frozenset& set) {
                    return Made(CheckMembers(set.ptr()));
                  })
      .def_static("attributes",
                  [](const CheckHandle& same, const py::tuple& names,
                     const py::handle& missing,
                     const std::vector<CheckHandle>& checks) {
                    return Made(CheckAttributes(same.check, names.ptr(),
                                                missing.ptr(), AllOf(checks)));
                  })
      .def_static(
          "partial",
          [](const py::type& type, const std::vector<CheckHandle>& checks) {
            return Made(CheckPartial(type.ptr(), AllOf(checks)));
          })
      .def_static("elements", &ElementsCheck)
      .def(
          "holds",
          [](const CheckHandle& handle, const py::handle& value) {
            return handle.check->Holds(value.ptr());
          },
          py::arg("value"));
}

void BindSource(py::module_& module) {
  py::class_<SourceHandle>(module, "Source",
                           "Reads once more what a trace has read.")
      .def_static("referent",
                  [](const py::weakref& weak) {
                    return SourceHandle{SourceReferent(weak.ptr())};
                  })
      .def_static("item",
                  [](const py::dict& dict, const py::handle& key) {
                    return SourceHandle{SourceItem(dict.ptr(), key.ptr())};
                  })
      .def_static("cell",
                  [](const py::handle& cell) {
                    if (!PyCell_Check(cell.ptr())) {
                      ThrowIfError(TypeError("cell", "a closure's",
                                             Py_TYPE(cell.ptr())->tp_name));
                    }
                    return SourceHandle{SourceCell(cell.ptr())};
                  })
      .def_static("attribute",
                  [](const py::weakref& weak, const py::str& name,
                     const py::tuple& places) {
                    return SourceHandle{
                        SourceAttribute(weak.ptr(), name.ptr(), places.ptr())};
                  })
      .def_static("member",
                  [](const py::weakref& weak, const py::str& name) {
                    return SourceHandle{SourceMember(weak.ptr(), name.ptr())};
                  })
      .def_static("call",
                  [](const py::handle& function, const py::weakref& weak) {
                    return SourceHandle{SourceCall(function.ptr(), weak.ptr())};
                  })
      .def(
          "read",
          [](const SourceHandle& handle, const py::object& missing) {
            PyObject* const now = handle.source->Read();
            return now == nullptr ? missing
                                  : py::reinterpret_steal<py::object>(now);
          },
          py::arg("missing"));
}

Checks ChecksOf(
    const py::handle& missing,
    const std::vector<std::pair<SourceHandle, CheckHandle>>& pairs) {
  Checks checks(missing.ptr());
  for (const auto& [source, check] : pairs) {
    checks.Add(source.source, check.check);
  }
  return checks;
}

py::bytes SignatureOf(const py::handle& inputs, const py::handle& labels) {
  std::string signature;
  for (const py::handle argument : {inputs, labels}) {
    if (!AppendSignature(argument.ptr(), &signature)) {
      throw py::error_already_set();
    }
  }
  return py::bytes(signature);
}

}  // namespace

void BindChecks(py::module_& module) {
  BindCheck(module);
  BindSource(module);
  py::class_<Checks> checks(module, "Checks",
                            "Pairs of what was read and what it was.");
  checks.def("first", &Checks::FirstDifference,
             "The number of the first that is something else now, or -1.");
  module.def("checks_of", &ChecksOf, py::arg("missing"), py::arg("pairs"),
             "Checks of pairs of a Source and a Check; `missing` stands for "
             "what is not there. Their objects are the caller's to keep.");
  module.def("signature_of", &SignatureOf, py::arg("inputs"), py::arg("labels"),
             "Bytes that are equal for arguments of a step alone that one "
             "trace serves, except for open extents.");
}

}  // namespace switchyard::python
