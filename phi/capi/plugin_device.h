// SPDX-License-Identifier: Apache-2.0
// Devices of plugins: SyDevice (phi/capi/plugin.h) as the records that the rest
// of the process knows, DeviceInfo and StreamInfo. Their functions have no
// argument that says which device is meant, so each device takes one of a few
// slots that have functions of their own.
#ifndef SWITCHYARD_PHI_CAPI_PLUGIN_DEVICE_H_
#define SWITCHYARD_PHI_CAPI_PLUGIN_DEVICE_H_

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/device_context.h"
#include "framework/device/device_info.h"
#include "phi/capi/plugin.h"

namespace switchyard::phi::capi {

// How many devices plugins may bring to one process.
inline constexpr int kMaxPluginDevices = 4;

// The records of one device. Their addresses stay.
struct PluginDevice {
  const DeviceInfo* info;
  const ContextProvider* contexts;
};

// Conditions count properties in eight bits.
inline constexpr size_t kMaxDeviceProperties = 100;

// Fills the free slot `slot` in [0, kMaxPluginDevices). Copies everything that
// `device` points to, and its properties. One thread at a time may call it.
PluginDevice FillDeviceSlot(int slot, const SyDevice& device,
                            absl::Span<const SyProperty> properties);

}  // namespace switchyard::phi::capi

#endif  // SWITCHYARD_PHI_CAPI_PLUGIN_DEVICE_H_
