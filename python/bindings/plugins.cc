// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/plugins.h"

#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "framework/base/hash_map.h"
#include "phi/capi/load_plugin.h"
#include "phi/core/composed_meta.h"
#include "python/bindings/errors.h"
#include "python/bindings/known_operators.h"
#include "python/bindings/op_function.h"
#include "python/bindings/plugin_operators.h"
#include "static_graph/dialect/composed_meta.h"

namespace py = pybind11;

namespace switchyard::python {
namespace {

py::object Text(std::string_view text) {
  return py::str(text.data(), text.size());
}

// Returns the Python function of an operator.
py::object FunctionOf(const phi::capi::PluginOperator& op) {
  PyObject* const function =
      MakeOpFunction({op.added.eager, op.added.dialect, op.doc.c_str()});
  if (function == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(function);
}

// Returns what switchyard/plugins.py makes a Plugin of.
py::dict WordsOf(const phi::capi::PluginRecords& plugin) {
  py::list kernels;
  for (const phi::capi::PluginKernel& kernel : plugin.kernels) {
    py::dict words;
    words["op"] = kernel.op;
    words["name"] = kernel.kernel;
    words["backend"] = kernel.key.backend->name;
    words["dtype"] = Text(Name(kernel.key.dtype));
    words["file"] = kernel.file;
    words["line"] = kernel.line;
    kernels.append(words);
  }
  py::list operators;
  for (const phi::capi::PluginOperator& op : plugin.operators) {
    operators.append(op.name);
  }
  py::dict words;
  words["operators"] = operators;
  words["name"] = plugin.name;
  words["version"] = plugin.version;
  words["path"] = plugin.path;
  words["abi"] = py::make_tuple(plugin.abi_major, plugin.abi_minor);
  words["kernels"] = kernels;
  return words;
}

// Returns the records, and the functions of the new forward operators by name.
py::tuple Load(const std::string& path) {
  std::vector<const phi::OpInfo*> operators;
  for (const eager::EagerOp* op : KnownOperators()) {
    operators.push_back(op->info);
  }
  const auto plugin =
      phi::capi::LoadPlugin(path, operators, &MakeOperatorLayers);
  ThrowIfFileError(plugin.status());
  py::dict functions;
  HashSet<const phi::capi::PluginOperator*> backward;
  for (const phi::capi::PluginOperator& op : (*plugin)->operators) {
    if (backward.find(&op) != backward.end()) continue;
    if (op.backward != nullptr) backward.insert(op.backward);
    functions[op.name] = FunctionOf(op);
  }
  return py::make_tuple(WordsOf(**plugin), functions);
}

}  // namespace

void BindPlugins(py::module_& module) {
  phi::SetComposedInferMeta(&static_graph::InferByComposite);
  module.def("load_plugin", &Load, py::arg("path"),
             "Loads a plugin; switchyard/plugins.py calls it.");
  module.def(
      "loaded_plugins",
      [] {
        py::list plugins;
        for (const phi::capi::PluginRecords* plugin :
             phi::capi::LoadedPlugins()) {
          plugins.append(WordsOf(*plugin));
        }
        return plugins;
      },
      "The plugins in force, in the order in which they came.");
}

}  // namespace switchyard::python
