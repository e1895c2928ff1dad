// SPDX-License-Identifier: Apache-2.0
// Place: the device of a tensor's memory.
#ifndef SWITCHYARD_FRAMEWORK_TYPES_PLACE_H_
#define SWITCHYARD_FRAMEWORK_TYPES_PLACE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "framework/types/device_type.h"

namespace switchyard {

// Says where a tensor's memory lies and its operators run: the host's CPU, or
// one device of a kind that is linked (framework/device/device_info.h). That a
// place has a name does not mean that the process has the device: CheckPlace()
// of framework/device/transfer.h tells. Selection decides which kernel library
// serves a place.
struct Place {
  DeviceType type = DeviceType::kCpu;
  int8_t index = 0;  // Counts the devices of a kind from 0; 0 for the CPU.

  static constexpr Place Cpu() { return {DeviceType::kCpu, 0}; }
  static constexpr Place Gpu(int8_t index) { return {DeviceType::kGpu, index}; }
  friend constexpr bool operator==(Place a, Place b) {
    return a.type == b.type && a.index == b.index;
  }
  friend constexpr bool operator!=(Place a, Place b) { return !(a == b); }
};

// Returns "cpu", "gpu", or the name of a registered device; "device7" for a
// number that no device has.
std::string Name(DeviceType device);

// Returns "cpu", "gpu:0".
std::string ToString(Place place);

// Inverts ToString(); "gpu" reads as "gpu:0". Returns nullopt for other text,
// and for a kind of device that is neither reserved nor registered.
std::optional<Place> ParsePlace(std::string_view text);

// Does the same, but reads a kind of device without an index as `near` where
// that is of this kind: "gpu" near gpu:1 is gpu:1.
std::optional<Place> ParsePlaceNear(std::string_view text, Place near);

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TYPES_PLACE_H_
