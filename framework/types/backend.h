// SPDX-License-Identifier: Apache-2.0
// Backend and DataLayout: two of the three coordinates of a kernel's key (the
// third is framework/types/data_type.h). A Backend is a library of kernels; the
// device that it computes on is a Place (framework/types/place.h).
#ifndef SWITCHYARD_FRAMEWORK_TYPES_BACKEND_H_
#define SWITCHYARD_FRAMEWORK_TYPES_BACKEND_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace switchyard {

enum class Backend : uint8_t {
#define SY_BACKEND(enumerator, name) enumerator,
#include "framework/types/backend.def"
#undef SY_BACKEND
};

inline constexpr int kNumBackends = 0
#define SY_BACKEND(enumerator, name) +1
#include "framework/types/backend.def"
#undef SY_BACKEND
    ;

std::string_view Name(Backend backend);
std::optional<Backend> ParseBackend(std::string_view name);

enum class DataLayout : uint8_t {
#define SY_DATA_LAYOUT(enumerator, name) enumerator,
#include "framework/types/data_layout.def"
#undef SY_DATA_LAYOUT
};

std::string_view Name(DataLayout layout);
std::optional<DataLayout> ParseDataLayout(std::string_view name);

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TYPES_BACKEND_H_
