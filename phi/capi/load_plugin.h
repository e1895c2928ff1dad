// SPDX-License-Identifier: Apache-2.0
// LoadPlugin: puts the kernels of a plugin (phi/capi/plugin.h) in force.
//
//   SY_ASSIGN_OR_RETURN(const capi::PluginRecords* plugin,
//                       capi::LoadPlugin("short_softmax.so", operators));
#ifndef SWITCHYARD_PHI_CAPI_LOAD_PLUGIN_H_
#define SWITCHYARD_PHI_CAPI_LOAD_PLUGIN_H_

#include <list>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "phi/capi/plugin_records.h"
#include "phi/core/op_info.h"

namespace switchyard::phi::capi {

// Makes the records by which eager calls and programs know the operators of a
// plugin: sets PluginOperator::added of each, and changes nothing else.
using OperatorLayers = absl::Status (*)(std::list<PluginOperator>* operators);

// Opens the shared library at `path` and adds its kernels and operators to the
// kernel table in force (phi/core/kernel_tables.h): eager calls, programs that
// are compiled from now on, and explain see it. Its kernels may implement any
// of `operators`; `layers` makes the records of new operators, or is null in a
// program that accepts none. The plugin is never unloaded. Thread-safe.
//
// On an error nothing has changed, and the library is closed. The status begins
// with "plugin <path>: "; its code is NotFound if there is no such file,
// InvalidArgument if it is no plugin or its registrations are invalid, DataLoss
// if it is cut off, FailedPrecondition if it is for another version of the
// interface or lacks a symbol, AlreadyExists for a second plugin, backend or
// kernel of one name, and Internal, or the plugin's own code, if registering
// throws or fails.
absl::StatusOr<const PluginRecords*> LoadPlugin(
    const std::string& path, absl::Span<const OpInfo* const> operators,
    OperatorLayers layers = nullptr);

// Returns the plugins in force, in the order in which they came. Thread-safe.
std::vector<const PluginRecords*> LoadedPlugins();

}  // namespace switchyard::phi::capi

#endif  // SWITCHYARD_PHI_CAPI_LOAD_PLUGIN_H_
