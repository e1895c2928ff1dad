// SPDX-License-Identifier: Apache-2.0
// Backends without contexts, for tests of tables and selection: the names,
// devices and order of the real ones. Nothing can be launched on them.
#ifndef SWITCHYARD_PHI_CORE_TESTING_FAKE_BACKENDS_H_
#define SWITCHYARD_PHI_CORE_TESTING_FAKE_BACKENDS_H_

#include "framework/device/backend.h"

namespace switchyard::phi {

inline constexpr BackendInfo fake_reference = {"reference", DeviceType::kCpu, 0,
                                               false, nullptr};
inline constexpr BackendInfo fake_cpu = {"cpu", DeviceType::kCpu, 100, true,
                                         nullptr};
inline constexpr BackendInfo fake_onednn = {"onednn", DeviceType::kCpu, 200,
                                            true, nullptr};
inline constexpr BackendInfo fake_gpu = {"gpu", DeviceType::kGpu, 300, true,
                                         nullptr};
inline constexpr BackendInfo fake_gpudnn = {"gpudnn", DeviceType::kGpu, 400,
                                            true, nullptr};

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_TESTING_FAKE_BACKENDS_H_
