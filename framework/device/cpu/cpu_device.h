// SPDX-License-Identifier: Apache-2.0
// device_cpu: the host as a device, for the backends whose kernels run there.
#ifndef SWITCHYARD_FRAMEWORK_DEVICE_CPU_CPU_DEVICE_H_
#define SWITCHYARD_FRAMEWORK_DEVICE_CPU_CPU_DEVICE_H_

#include "framework/device/device_info.h"

namespace switchyard {

// There is one, whatever the number of sockets. Its allocator is CpuAllocator()
// (framework/memory/cpu_allocator.h); its work is done when a call returns.
extern const DeviceInfo device_cpu;

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_DEVICE_CPU_CPU_DEVICE_H_
