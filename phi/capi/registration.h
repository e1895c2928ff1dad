// SPDX-License-Identifier: Apache-2.0
// Registration: checks and copies what a plugin registers
// (SyPlugin::add_all in phi/capi/plugin.h). It changes nothing of the process:
// phi/capi/load_plugin.h puts the records in force.
#ifndef SWITCHYARD_PHI_CAPI_REGISTRATION_H_
#define SWITCHYARD_PHI_CAPI_REGISTRATION_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "phi/capi/plugin_records.h"
#include "phi/core/kernel_table.h"
#include "phi/core/op_info.h"

namespace switchyard::phi::capi {

// Checks what `plugin` says of itself before any code of it runs:
// InvalidArgument for a size or name that can't be, FailedPrecondition for a
// version that this process does not speak.
absl::Status CheckPlugin(const SyPlugin& plugin);

// Calls plugin.add_all, which CheckPlugin has accepted, and returns what it
// registered; a device fills slot number `device_slot`. `operators` are those
// that kernels may be for, and `kernels` is the table in force: what the plugin
// brings has names of its own in it. The first error of a function of SyApi,
// else what add_all returned or threw, is the status.
absl::StatusOr<std::unique_ptr<PluginRecords>> Register(
    const SyPlugin& plugin, std::string path,
    absl::Span<const OpInfo* const> operators, const KernelTable& kernels,
    int device_slot);

}  // namespace switchyard::phi::capi

#endif  // SWITCHYARD_PHI_CAPI_REGISTRATION_H_
