// SPDX-License-Identifier: Apache-2.0
// Registration: checks and copies the registrations of a plugin
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

// Checks the facts in `plugin` before any of its code runs: InvalidArgument for
// an invalid size or name, FailedPrecondition for a version that this process
// does not speak.
absl::Status CheckPlugin(const SyPlugin& plugin);

// Calls add_all of a plugin that CheckPlugin has accepted, and returns its
// registrations; a device fills slot number `device_slot`. Kernels may
// implement any of `operators`; `kernels` is the table in force, in which the
// plugin's names must be new. Returns the first error of a function of SyApi,
// else the error that add_all returned or threw.
absl::StatusOr<std::unique_ptr<PluginRecords>> Register(
    const SyPlugin& plugin, std::string path,
    absl::Span<const OpInfo* const> operators, const KernelTable& kernels,
    int device_slot);

}  // namespace switchyard::phi::capi

#endif  // SWITCHYARD_PHI_CAPI_REGISTRATION_H_
