// SPDX-License-Identifier: Apache-2.0
// The device's record, for the plugin's registration (plugin.cc).
#ifndef OPENCL_DEVICE_DEVICE_H_
#define OPENCL_DEVICE_DEVICE_H_

#include "phi/capi/plugin.h"

SyDevice MakeDevice();

#endif  // OPENCL_DEVICE_DEVICE_H_
