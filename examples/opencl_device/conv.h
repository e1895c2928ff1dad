// SPDX-License-Identifier: Apache-2.0
// The kernel of conv2d, by im2col: of both layouts, with paddings as numbers or
// by name, for one group of channels.
#ifndef OPENCL_DEVICE_CONV_H_
#define OPENCL_DEVICE_CONV_H_

#include "phi/capi/plugin_cc.h"

void Conv2d(sy::plugin::Call& call);

#endif  // OPENCL_DEVICE_CONV_H_
