// SPDX-License-Identifier: Apache-2.0
#include "framework/types/data_layout.h"

#include <cstddef>
#include <iterator>

namespace switchyard {
namespace {

constexpr std::string_view kLayouts[] = {
#define SY_DATA_LAYOUT(enumerator, name) name,
#include "framework/types/data_layout.def"
#undef SY_DATA_LAYOUT
};

}  // namespace

std::string_view Name(DataLayout layout) {
  return kLayouts[static_cast<int>(layout)];
}

std::optional<DataLayout> ParseDataLayout(std::string_view name) {
  for (size_t i = 0; i < std::size(kLayouts); ++i) {
    if (kLayouts[i] == name) return static_cast<DataLayout>(i);
  }
  return std::nullopt;
}

}  // namespace switchyard
