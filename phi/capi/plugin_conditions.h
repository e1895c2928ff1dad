// SPDX-License-Identifier: Apache-2.0
// The conditions of a plugin's kernel (SyCondition) as the records that
// selection evaluates.
#ifndef SWITCHYARD_PHI_CAPI_PLUGIN_CONDITIONS_H_
#define SWITCHYARD_PHI_CAPI_PLUGIN_CONDITIONS_H_

#include <vector>

#include "framework/base/status.h"
#include "framework/device/device_info.h"
#include "phi/capi/plugin.h"
#include "phi/core/condition.h"
#include "phi/core/op_info.h"

namespace switchyard::phi::capi {

// Returns the conditions of a kernel for `op` that runs on `device`. An error
// says which part of which condition is wrong.
absl::StatusOr<std::vector<Condition>> ConditionsOf(const OpInfo& op,
                                                    const DeviceInfo& device,
                                                    const SyKernel& given);

}  // namespace switchyard::phi::capi

#endif  // SWITCHYARD_PHI_CAPI_PLUGIN_CONDITIONS_H_
