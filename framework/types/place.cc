// SPDX-License-Identifier: Apache-2.0
#include "framework/types/place.h"

#include <charconv>

#include "framework/device/device_info.h"

namespace switchyard {

std::string Name(DeviceType device) {
  if (const DeviceInfo* info = FindDevice(device)) return info->name;
  // One that is not in the process has a name if its number is reserved.
  const int number = static_cast<int>(device);
  for (const char* name : {"cpu", "gpu"}) {
    if (DeviceNumber(name) == number) return name;
  }
  return "device" + std::to_string(number);
}

std::string ToString(Place place) {
  const std::string name = Name(place.type);
  return place == Place::Cpu() ? name
                               : name + ":" + std::to_string(place.index);
}

std::optional<Place> ParsePlace(std::string_view text) {
  const size_t colon = text.find(':');
  const int number = DeviceNumber(text.substr(0, colon));
  if (number < 0) return std::nullopt;
  Place place = {static_cast<DeviceType>(number), 0};
  if (colon == text.npos) return place;
  text.remove_prefix(colon + 1);
  const char* const end = text.data() + text.size();
  const std::from_chars_result read =
      std::from_chars(text.data(), end, place.index, 10);
  const bool numeral =
      read.ec == std::errc() && read.ptr == end && text[0] != '-';
  // The CPU is one place, which has no index.
  if (!numeral || place.type == DeviceType::kCpu) return std::nullopt;
  return place;
}

std::optional<Place> ParsePlaceNear(std::string_view text, Place near) {
  const std::optional<Place> place = ParsePlace(text);
  const bool indexed = text.find(':') != text.npos;
  if (!place.has_value() || indexed || place->type != near.type) return place;
  return near;
}

}  // namespace switchyard
