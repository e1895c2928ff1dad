// SPDX-License-Identifier: Apache-2.0
// Place: the device of a tensor's memory.
#ifndef SWITCHYARD_FRAMEWORK_TYPES_PLACE_H_
#define SWITCHYARD_FRAMEWORK_TYPES_PLACE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace switchyard {

enum class DeviceType : uint8_t { kCpu, kGpu };

// Says where a tensor's memory lies and its operators run: the CPU, or one GPU.
// Selection decides which kernel library serves a place.
struct Place {
  DeviceType type = DeviceType::kCpu;
  int8_t index = 0;  // Of the GPU; 0 for the CPU.

  static constexpr Place Cpu() { return {DeviceType::kCpu, 0}; }
  static constexpr Place Gpu(int8_t index) { return {DeviceType::kGpu, index}; }
  friend constexpr bool operator==(Place a, Place b) {
    return a.type == b.type && a.index == b.index;
  }
  friend constexpr bool operator!=(Place a, Place b) { return !(a == b); }
};

// "cpu", "gpu".
std::string_view Name(DeviceType device);

// "cpu", "gpu:0".
std::string ToString(Place place);

// Inverts ToString(); "gpu" reads as "gpu:0". Returns nullopt for other text.
std::optional<Place> ParsePlace(std::string_view text);

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TYPES_PLACE_H_
