// SPDX-License-Identifier: Apache-2.0
#include "framework/types/data_type.h"

#include <iterator>

namespace switchyard {
namespace {

constexpr std::string_view kNames[] = {
    "undefined",
#define SY_DATA_TYPE(enumerator, name, type, size) name,
#define SY_STORAGE_TYPE(enumerator, name, bits) name,
#include "framework/types/data_type.def"
#undef SY_DATA_TYPE
    "string",
};

}  // namespace

std::string_view Name(DataType dtype) {
  return kNames[static_cast<int>(dtype)];
}

std::optional<DataType> ParseDataType(std::string_view name) {
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] == name) return static_cast<DataType>(i);
  }
  return std::nullopt;
}

}  // namespace switchyard
