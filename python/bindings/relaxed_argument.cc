// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/relaxed_argument.h"

#include <string>

#include "python/bindings/errors.h"

namespace py = pybind11;

namespace switchyard::python {
namespace {

std::string WordOf(py::handle object) {
  if (!py::isinstance<py::str>(object)) {
    ThrowIfError(TypeError("relaxed", "a dictionary of texts",
                           Py_TYPE(object.ptr())->tp_name));
  }
  return object.cast<std::string>();
}

}  // namespace

static_graph::RelaxedChoices RelaxedArgument(
    py::handle object, static_graph::RelaxedChoices choices) {
  if (object.is_none()) return choices;
  if (py::isinstance<py::str>(object)) {
    ThrowIfError(
        static_graph::ApplyChoices(object.cast<std::string>(), &choices));
  } else if (py::isinstance<py::dict>(object)) {
    for (const auto& [name, value] : object.cast<py::dict>()) {
      ThrowIfError(
          static_graph::SetChoice(WordOf(name), WordOf(value), &choices));
    }
  } else {
    ThrowIfError(TypeError("relaxed",
                           "a text as 'fusion=relaxed', a dictionary or None",
                           Py_TYPE(object.ptr())->tp_name));
  }
  return choices;
}

py::dict DictOf(const static_graph::RelaxedChoices& choices) {
  py::dict dict;
  for (const auto& [name, value] : static_graph::EntriesOf(choices)) {
    dict[py::str(name)] = py::str(value);
  }
  return dict;
}

}  // namespace switchyard::python
