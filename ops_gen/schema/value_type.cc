// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/schema/value_type.h"

namespace switchyard::ops_gen {
namespace {

struct Row {
  std::string_view word;
  ValueType item;
};
// Indexed by ValueType.
constexpr Row kRows[] = {
#define SY_ATTR_TYPE(enumerator, word, type) {word, ValueType::enumerator},
#define SY_ATTR_LIST_TYPE(enumerator, word, item, element) \
  {word, ValueType::item},
#include "framework/types/attr_type.def"
#undef SY_ATTR_LIST_TYPE
#undef SY_ATTR_TYPE
    {"IntArray", ValueType::kInt64},
};
static_assert(sizeof(kRows) / sizeof(kRows[0]) == kNumValueTypes);

}  // namespace

std::string_view Name(ValueType type) {
  return kRows[static_cast<int>(type)].word;
}

std::vector<std::string_view> ValueTypeNames() {
  std::vector<std::string_view> names;
  for (const Row& row : kRows) names.push_back(row.word);
  return names;
}

std::optional<ValueType> ParseValueType(std::string_view word) {
  for (int i = 0; i < kNumValueTypes; ++i) {
    if (kRows[i].word == word) return static_cast<ValueType>(i);
  }
  return std::nullopt;
}

ValueType ItemType(ValueType type) {
  return kRows[static_cast<int>(type)].item;
}

bool IsList(ValueType type) { return ItemType(type) != type; }

}  // namespace switchyard::ops_gen
