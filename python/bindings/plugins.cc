// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/plugins.h"

#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "phi/capi/load_plugin.h"
#include "python/bindings/errors.h"
#include "python/bindings/known_operators.h"

namespace py = pybind11;

namespace switchyard::python {
namespace {

py::object Text(std::string_view text) {
  return py::str(text.data(), text.size());
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
  py::dict words;
  words["name"] = plugin.name;
  words["version"] = plugin.version;
  words["path"] = plugin.path;
  words["abi"] = py::make_tuple(plugin.abi_major, plugin.abi_minor);
  words["kernels"] = kernels;
  return words;
}

py::dict Load(const std::string& path) {
  std::vector<const phi::OpInfo*> operators;
  for (const eager::EagerOp* op : KnownOperators()) {
    operators.push_back(op->info);
  }
  const auto plugin = phi::capi::LoadPlugin(path, operators);
  ThrowIfFileError(plugin.status());
  return WordsOf(**plugin);
}

}  // namespace

void BindPlugins(py::module_& module) {
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
