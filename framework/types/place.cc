// SPDX-License-Identifier: Apache-2.0
#include "framework/types/place.h"

#include <charconv>

namespace switchyard {

std::string_view Name(DeviceType device) {
  return device == DeviceType::kCpu ? "cpu" : "gpu";
}

std::string ToString(Place place) {
  if (place.type == DeviceType::kCpu) return "cpu";
  return "gpu:" + std::to_string(place.index);
}

std::optional<Place> ParsePlace(std::string_view text) {
  if (text == "cpu") return Place::Cpu();
  if (text == "gpu") return Place::Gpu(0);
  constexpr std::string_view kPrefix = "gpu:";
  if (text.substr(0, kPrefix.size()) != kPrefix) return std::nullopt;
  text.remove_prefix(kPrefix.size());
  int8_t index = 0;
  const char* const end = text.data() + text.size();
  const std::from_chars_result read =
      std::from_chars(text.data(), end, index, 10);
  if (read.ec != std::errc() || read.ptr != end || text[0] == '-') {
    return std::nullopt;
  }
  return Place::Gpu(index);
}

}  // namespace switchyard
