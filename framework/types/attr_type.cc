// SPDX-License-Identifier: Apache-2.0
#include "framework/types/attr_type.h"

#include <iterator>

namespace switchyard {
namespace {

struct Row {
  std::string_view word;
  AttrType element;  // The type itself if it is no list.
};

// Indexed by AttrType.
constexpr Row kRows[] = {
#define SY_ATTR_TYPE(enumerator, word, type) {word, AttrType::enumerator},
#define SY_ATTR_LIST_TYPE(enumerator, word, item, element) \
  {word, AttrType::item},
#include "framework/types/attr_type.def"
#undef SY_ATTR_LIST_TYPE
#undef SY_ATTR_TYPE
};

}  // namespace

std::string_view Name(AttrType type) {
  return kRows[static_cast<int>(type)].word;
}

std::optional<AttrType> ParseAttrType(std::string_view word) {
  for (size_t i = 0; i < std::size(kRows); ++i) {
    if (kRows[i].word == word) return static_cast<AttrType>(i);
  }
  return std::nullopt;
}

bool IsList(AttrType type) { return ElementType(type) != type; }

AttrType ElementType(AttrType type) {
  return kRows[static_cast<int>(type)].element;
}

}  // namespace switchyard
