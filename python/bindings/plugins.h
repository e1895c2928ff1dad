// SPDX-License-Identifier: Apache-2.0
// The part of switchyard._core that loads plugins, for switchyard/plugins.py.
#ifndef SWITCHYARD_PYTHON_BINDINGS_PLUGINS_H_
#define SWITCHYARD_PYTHON_BINDINGS_PLUGINS_H_

#include <pybind11/pybind11.h>

namespace switchyard::python {

// Adds load_plugin() and loaded_plugins().
void BindPlugins(pybind11::module_& module);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_PLUGINS_H_
