// SPDX-License-Identifier: Apache-2.0
#include "framework/types/data_layout.h"

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

}  // namespace switchyard
