// SPDX-License-Identifier: Apache-2.0
#include "framework/types/backend.h"

namespace switchyard {
namespace {

constexpr std::string_view kBackends[] = {
#define SY_BACKEND(enumerator, name) name,
#include "framework/types/backend.def"
#undef SY_BACKEND
};

constexpr std::string_view kLayouts[] = {
#define SY_DATA_LAYOUT(enumerator, name) name,
#include "framework/types/data_layout.def"
#undef SY_DATA_LAYOUT
};

template <typename Enum, size_t n>
std::optional<Enum> Find(const std::string_view (&names)[n],
                         std::string_view name) {
  for (size_t i = 0; i < n; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view Name(Backend backend) {
  return kBackends[static_cast<int>(backend)];
}

std::optional<Backend> ParseBackend(std::string_view name) {
  return Find<Backend>(kBackends, name);
}

std::string_view Name(DataLayout layout) {
  return kLayouts[static_cast<int>(layout)];
}

std::optional<DataLayout> ParseDataLayout(std::string_view name) {
  return Find<DataLayout>(kLayouts, name);
}

}  // namespace switchyard
