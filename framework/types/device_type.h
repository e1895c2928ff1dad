// SPDX-License-Identifier: Apache-2.0
// DeviceType: the number of a kind of device. Its record, with its
// name, is a DeviceInfo (framework/device/device_info.h); a number and an index
// are a Place (framework/types/place.h).
#ifndef SWITCHYARD_FRAMEWORK_TYPES_DEVICE_TYPE_H_
#define SWITCHYARD_FRAMEWORK_TYPES_DEVICE_TYPE_H_

#include <cstdint>

namespace switchyard {

// Numbers a kind of device in this process. Two numbers are reserved, so that
// constants can name a place; all others are given out by RegisterDevice() and
// have no enumerator. Files and messages hold names, never numbers.
enum class DeviceType : uint8_t { kCpu, kGpu };

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TYPES_DEVICE_TYPE_H_
