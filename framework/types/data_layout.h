// SPDX-License-Identifier: Apache-2.0
// DataLayout: the class of the layouts that a kernel works on, one of the three
// coordinates of its key; the others are the dtype (framework/types/
// data_type.h) and the backend (framework/device/backend.h). What one tensor
// has is a LayoutDescriptor (framework/types/layout_descriptor.h).
#ifndef SWITCHYARD_FRAMEWORK_TYPES_DATA_LAYOUT_H_
#define SWITCHYARD_FRAMEWORK_TYPES_DATA_LAYOUT_H_

#include <cstdint>
#include <string_view>

namespace switchyard {

// A class of layouts: data_layout.def is the table.
enum class DataLayout : uint8_t {
#define SY_DATA_LAYOUT(enumerator, name) enumerator,
#include "framework/types/data_layout.def"
#undef SY_DATA_LAYOUT
};

std::string_view Name(DataLayout layout);

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TYPES_DATA_LAYOUT_H_
