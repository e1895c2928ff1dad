// SPDX-License-Identifier: Apache-2.0
// Launches of plugins' kernels: the thunk, and the functions of SyApi
// (phi/capi/plugin.h) that kernels call. What plugins call while they register
// is phi/capi/registration.h.
#ifndef SWITCHYARD_PHI_CAPI_PLUGIN_CALL_H_
#define SWITCHYARD_PHI_CAPI_PLUGIN_CALL_H_

#include "framework/base/status.h"
#include "phi/capi/plugin.h"
#include "phi/core/kernel_context.h"

namespace switchyard::phi::capi {

// Calls the function of a PluginKernel, which `context.kernel()` is. What it
// throws, and what it did wrong with SyApi, is the status. A status of the
// plugin's own begins with "plugin <name>: ".
absl::Status RunPluginKernel(KernelContext& context);

// Puts the functions for kernels into `api`.
void AddCallFunctions(SyApi* api);

// Calls `function`, which belongs to a plugin. An exception becomes Internal,
// with its text if it has one.
template <typename Function>
absl::Status CatchAll(const Function& function);

// Makes the status of a plugin's code and message. A code that absl does not
// have becomes Internal.
absl::Status StatusOf(SyCode code, std::string_view message);

}  // namespace switchyard::phi::capi

// Implementation of the template.
#include <exception>
#include <new>

namespace switchyard::phi::capi {

template <typename Function>
absl::Status CatchAll(const Function& function) {
  try {
    return function();
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("out of memory");
  } catch (const std::exception& error) {
    return absl::InternalError(error.what());
  } catch (...) {
    return absl::InternalError("an exception that is no std::exception");
  }
}

}  // namespace switchyard::phi::capi

#endif  // SWITCHYARD_PHI_CAPI_PLUGIN_CALL_H_
