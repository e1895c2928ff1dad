// SPDX-License-Identifier: Apache-2.0
// Launches of plugins' kernels: the thunk, and the functions of SyApi
// (phi/capi/plugin.h) that kernels call. Those of operators are
// phi/capi/plugin_operator.h, those for registering phi/capi/registration.h.
#ifndef SWITCHYARD_PHI_CAPI_PLUGIN_CALL_H_
#define SWITCHYARD_PHI_CAPI_PLUGIN_CALL_H_

#include "framework/base/status.h"
#include "phi/capi/plugin.h"
#include "phi/core/kernel_context.h"

namespace switchyard::phi::capi {

// Calls the function of `context.kernel()`, a PluginKernel. Exceptions and
// misuse of SyApi become the status, which begins with "plugin <name>: ".
absl::Status RunPluginKernel(KernelContext& context);

// Does so for a kernel of a device with streams: the kernel gives its work to
// the current stream (phi/core/stream_launch.h).
absl::Status RunPluginKernelOnStream(KernelContext& context);

// Puts the functions for kernels into `api`.
void AddKernelFunctions(SyApi* api);

}  // namespace switchyard::phi::capi

#endif  // SWITCHYARD_PHI_CAPI_PLUGIN_CALL_H_
