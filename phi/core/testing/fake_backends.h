// SPDX-License-Identifier: Apache-2.0
// Backends without contexts, for tests of tables and selection: the names,
// devices and order of the real ones. Nothing can be launched on them.
#ifndef SWITCHYARD_PHI_CORE_TESTING_FAKE_BACKENDS_H_
#define SWITCHYARD_PHI_CORE_TESTING_FAKE_BACKENDS_H_

#include "framework/device/backend.h"
#include "framework/device/cpu/cpu_device.h"

namespace switchyard::phi {

inline constexpr DeviceInfo fake_gpu_device = {
    "gpu", false, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};

inline constexpr BackendInfo fake_reference = {"reference", &device_cpu, 0,
                                               false, nullptr};
inline constexpr BackendInfo fake_cpu = {"cpu", &device_cpu, 100, true,
                                         nullptr};
inline constexpr BackendInfo fake_onednn = {"onednn", &device_cpu, 200, true,
                                            nullptr};
inline constexpr BackendInfo fake_gpu = {"gpu", &fake_gpu_device, 300, true,
                                         nullptr};
inline constexpr BackendInfo fake_gpudnn = {"gpudnn", &fake_gpu_device, 400,
                                            true, nullptr};

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_TESTING_FAKE_BACKENDS_H_
