// SPDX-License-Identifier: Apache-2.0
// The records that a process keeps of a plugin: owned copies of its
// registrations, in the form that kernel tables take. phi/capi/registration.h
// fills them, phi/capi/load_plugin.h hands them out.
#ifndef SWITCHYARD_PHI_CAPI_PLUGIN_RECORDS_H_
#define SWITCHYARD_PHI_CAPI_PLUGIN_RECORDS_H_

#include <list>
#include <string>
#include <vector>

#include "framework/device/backend.h"
#include "phi/capi/plugin.h"
#include "phi/capi/plugin_device.h"
#include "phi/capi/plugin_operator.h"
#include "phi/core/kernel_def.h"
#include "phi/core/op_info.h"

namespace switchyard::phi::capi {

// A backend of a plugin. Its address identifies the backend.
struct PluginBackend {
  std::string name;
  BackendInfo info;
};

// A kernel of a plugin. The thunk that all of them have finds it through
// KernelContext::kernel(). Spans and texts point into the record itself, which
// is never moved.
struct PluginKernel : KernelDef {
  const SyApi* api;    // The functions that its calls offer to it.
  const OpInfo* info;  // Of its operator.
  SyFunction function;
  const char* plugin;  // The plugin's name.
  std::string name_text, file_text;
  std::vector<ArgDef> input_defs, output_defs;
  std::vector<Condition> condition_list;
};

// A plugin that is being registered or in force. Lives as long as the process
// once it is.
struct PluginRecords {
  std::string name, version, path;
  uint32_t abi_major = 0, abi_minor = 0;
  // The device that it brings, in slot number `device_slot`; -1: none.
  int device_slot = -1;
  PluginDevice device = {};
  // Lists: entries keep their addresses.
  std::list<PluginBackend> backends;
  std::list<PluginKernel> kernels;
  // In the order in which they came, a backward operator after its own.
  std::list<PluginOperator> operators;
};

}  // namespace switchyard::phi::capi

#endif  // SWITCHYARD_PHI_CAPI_PLUGIN_RECORDS_H_
