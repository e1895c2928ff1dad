// SPDX-License-Identifier: Apache-2.0
// MakeOperatorLayers: the records by which eager calls and programs know the
// operators that a plugin brings (phi/capi/plugin_operator.h).
#ifndef SWITCHYARD_PYTHON_BINDINGS_PLUGIN_OPERATORS_H_
#define SWITCHYARD_PYTHON_BINDINGS_PLUGIN_OPERATORS_H_

#include <list>

#include "framework/base/status.h"
#include "phi/capi/plugin_operator.h"

namespace switchyard::python {

// Sets PluginOperator::added of each; phi::capi::LoadPlugin calls it. The
// records are not freed: calls refer to them. ResourceExhausted if more bodies
// than kMaxBodies are in the process.
absl::Status MakeOperatorLayers(std::list<phi::capi::PluginOperator>* ops);

// A body is called by a function without an argument that says which: each has
// a function of its own, of a table of this size.
inline constexpr int kMaxBodies = 128;

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_PLUGIN_OPERATORS_H_
